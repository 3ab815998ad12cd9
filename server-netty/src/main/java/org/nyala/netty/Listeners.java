package org.nyala.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.util.ArrayList;
import java.util.List;

/**
 * The sockets that a server accepts connections on.
 *
 * <p>Not thread-safe: the server has a lock for its start and its end.
 */
final class Listeners {
  private final List<Channel> channels = new ArrayList<>();
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
    ChannelFuture bound =
        bootstrap
            .bind(new InetSocketAddress(listener.host(), listener.port()))
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException(
          "cannot listen on "
              + listener.host()
              + ":"
              + listener.port()
              + ": "
              + reason(bound.cause()),
          bound.cause());
    }
    channels.add(bound.channel());
    bound.channel().pipeline().addLast(refusals);
  }

  /**
   * Returns the message of the operating system; native transports put the name of a call before
   * it.
   */
  static String reason(Throwable cause) {
    if (cause instanceof UnknownHostException || cause instanceof UnresolvedAddressException) {
      return "no address is known for the name";
    }
    String message = String.valueOf(cause.getMessage());
    int call = message.lastIndexOf("): ");
    return call < 0 ? message : message.substring(call + 3);
  }

  /** Returns the addresses of the sockets, in the order in which they were opened. */
  List<InetSocketAddress> addresses() {
    List<InetSocketAddress> addresses = new ArrayList<>();
    for (Channel channel : channels) {
      addresses.add((InetSocketAddress) channel.localAddress());
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
  }
}
