package org.nyala.netty;

import io.netty.channel.Channel;
import io.netty.channel.unix.UnixChannel;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** The two ends of a channel as slapd writes them in its log. Any thread. */
final class ChannelEnds {
  private ChannelEnds() {}

  /** From where it comes, without a port; {@code unknown} where that has no address. */
  static Object address(Channel channel, Object unknown) {
    return channel.remoteAddress() instanceof InetSocketAddress remote
            && remote.getAddress() != null
        ? remote.getAddress()
        : unknown;
  }

  /** Where the client is, such as {@code IP=127.0.0.1:40000}. */
  static String peer(Channel channel) {
    return text(channel.remoteAddress());
  }

  /** Where the client has come to, likewise. */
  static String local(Channel channel) {
    return text(channel.localAddress());
  }

  /** Whether the client has come over the loopback interface. */
  static boolean isOnThisMachine(Channel channel) {
    return channel.remoteAddress() instanceof InetSocketAddress peer
        && peer.getAddress().isLoopbackAddress();
  }

  private static String text(@Nullable SocketAddress address) {
    if (!(address instanceof InetSocketAddress socket)) {
      return "unknown";
    }
    String host = socket.getAddress().getHostAddress();
    return "IP=" + (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + socket.getPort();
  }

  /** The file descriptor of the socket; {@code otherwise} where it is not known. */
  static int descriptor(Channel channel, int otherwise) {
    return channel instanceof UnixChannel unix ? unix.fd().intValue() : otherwise;
  }
}
