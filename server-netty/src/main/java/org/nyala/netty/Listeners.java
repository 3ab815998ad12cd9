package org.nyala.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import org.nyala.netty.accept.LocalSocket;
import org.nyala.netty.accept.RejectedConnections;

/**
 * The sockets that a server accepts connections on.
 *
 * <p>Not thread-safe: the server has a lock for its start and its end.
 */
final class Listeners {
  private final List<Channel> channels = new ArrayList<>();
  private final List<LocalSocket> files = new ArrayList<>();
  private final List<FileChannel> locks = new ArrayList<>();
  private final RejectedConnections refusals;

  /**
   * Begins without a socket.
   *
   * @param refusals notes what a socket cannot accept
   */
  Listeners(RejectedConnections refusals) {
    this.refusals = refusals;
  }

  /**
   * Listens on an address.
   *
   * @param bootstrap opens its connections
   * @throws IOException if the address cannot be listened on
   */
  void bind(ServerBootstrap bootstrap, WireSettings.Listener listener) throws IOException {
    String name = listener.host() + ":" + listener.port();
    bind(bootstrap, new InetSocketAddress(listener.host(), listener.port()), name);
  }

  /**
   * Listens on a socket in the file system.
   *
   * @param bootstrap opens its connections
   * @param address its address as the transport has it
   * @throws IOException if it cannot be listened on, or protected
   */
  void bindLocal(ServerBootstrap bootstrap, LocalSocket socket, SocketAddress address)
      throws IOException {
    locks.add(socket.take());
    bind(bootstrap, address, socket.path().toString());
    files.add(socket);
    socket.protect();
  }

  private void bind(ServerBootstrap bootstrap, SocketAddress address, String name)
      throws IOException {
    ChannelFuture bound = bootstrap.bind(address).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException(
          "cannot listen on " + name + ": " + RejectedConnections.reasonOf(bound.cause()),
          bound.cause());
    }
    channels.add(bound.channel());
    bound.channel().pipeline().addLast(refusals);
  }

  /** Returns the addresses of the network's sockets, in the order in which they were opened. */
  List<InetSocketAddress> addresses() {
    List<InetSocketAddress> addresses = new ArrayList<>();
    for (Channel channel : channels) {
      if (channel.localAddress() instanceof InetSocketAddress address) {
        addresses.add(address);
      }
    }
    return addresses;
  }

  /** Forgets sockets that have ended with their event loop. */
  void forget() {
    channels.clear();
  }

  /** Closes the sockets. */
  void close() {
    for (Channel channel : channels) {
      channel.close().awaitUninterruptibly();
    }
    files.forEach(LocalSocket::remove);
    files.clear();
    for (FileChannel lock : locks) {
      try {
        lock.close();
      } catch (IOException _) {
        // The process gives it up at its end.
      }
    }
    locks.clear();
  }
}
