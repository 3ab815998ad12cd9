package org.nyala.netty;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerDomainSocketChannel;
import io.netty.channel.uring.IoUringServerSocketChannel;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.nyala.netty.accept.CountedPolls;

/** The transports that exist, with a check for those that this machine has. */
enum Transports {
  EPOLL("epoll", EpollServerSocketChannel.class, EpollServerDomainSocketChannel.class),
  IO_URING("io_uring", IoUringServerSocketChannel.class, IoUringServerDomainSocketChannel.class),
  NIO("nio", NioServerSocketChannel.class, NioServerDomainSocketChannel.class);

  /**
   * The number of ready connections that an event loop takes from one poll. With Netty's default,
   * as many as there are, the slowest hundredth of 10,000 clients waited longer (the page beside
   * slapd in src-docs/results): the other work of the loop waits for all of them.
   */
  private static final int EVENTS_AT_ONCE = 32;

  private final String label;
  private final Class<? extends ServerChannel> serverChannel;
  private final Class<? extends ServerChannel> localServerChannel;

  Transports(
      String label,
      Class<? extends ServerChannel> serverChannel,
      Class<? extends ServerChannel> localServerChannel) {
    this.label = label;
    this.serverChannel = serverChannel;
    this.localServerChannel = localServerChannel;
  }

  /** Returns the transport for a setting; a named one must not be missing. */
  static Transports choose(WireSettings.Transport setting) {
    return switch (setting) {
      case AUTO -> Epoll.isAvailable() ? EPOLL : NIO;
      case EPOLL -> EPOLL;
      case IO_URING -> IO_URING;
      case NIO -> NIO;
    };
  }

  /** Returns the reason why the setting is not available on this machine; null if it is. */
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

  /** Returns the channel that listens on a socket in the file system. */
  Class<? extends ServerChannel> localServerChannel() {
    return localServerChannel;
  }

  /** Returns the address of a socket in the file system. */
  SocketAddress localAddress(Path path) {
    return this == NIO ? UnixDomainSocketAddress.of(path) : new DomainSocketAddress(path.toFile());
  }

  /**
   * Creates the I/O handler of event loops.
   *
   * @param polls counts the times they ask for ready connections; io_uring, which has no such call,
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
