package org.nyala.netty;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The transports that exist, and which of them this machine has. */
enum Transports {
  EPOLL("epoll", EpollServerSocketChannel.class),
  IO_URING("io_uring", IoUringServerSocketChannel.class),
  NIO("nio", NioServerSocketChannel.class);

  /**
   * How many ready connections an event loop takes from one poll. With Netty's default, as many as
   * there are, the slowest hundredth of 10,000 clients waited longer (the page beside slapd in
   * src-docs/results): what else the loop has to do waits for all of them.
   */
  private static final int EVENTS_AT_ONCE = 32;

  private final String label;
  private final Class<? extends ServerChannel> serverChannel;

  Transports(String label, Class<? extends ServerChannel> serverChannel) {
    this.label = label;
    this.serverChannel = serverChannel;
  }

  /** The transport for a setting; what is named must not be missing. */
  static Transports choose(WireSettings.Transport setting) {
    return switch (setting) {
      case AUTO -> Epoll.isAvailable() ? EPOLL : NIO;
      case EPOLL -> EPOLL;
      case IO_URING -> IO_URING;
      case NIO -> NIO;
    };
  }

  /** Why the setting cannot be had on this machine; null when it can. */
  static @Nullable String missing(WireSettings.Transport setting) {
    return switch (setting) {
      case AUTO, NIO -> null;
      case EPOLL -> reason("epoll", Epoll.isAvailable() ? null : Epoll.unavailabilityCause());
      case IO_URING ->
          reason("io_uring", IoUring.isAvailable() ? null : IoUring.unavailabilityCause());
    };
  }

  private static @Nullable String reason(String label, @Nullable Throwable cause) {
    return cause == null ? null : "transport " + label + " is not available here: " + cause;
  }

  String label() {
    return label;
  }

  Class<? extends ServerChannel> serverChannel() {
    return serverChannel;
  }

  /**
   * Makes what event loops wait with.
   *
   * @param polls counts how often they ask what is ready; io_uring, which has no such question,
   *     does not count
   */
  IoHandlerFactory ioHandlerFactory(LongAdder polls) {
    CountedPolls counted = new CountedPolls(polls);
    return switch (this) {
      case EPOLL -> EpollIoHandler.newFactory(EVENTS_AT_ONCE, counted);
      case IO_URING -> IoUringIoHandler.newFactory();
      case NIO -> NioIoHandler.newFactory(SelectorProvider.provider(), counted);
    };
  }
}
