package org.nyala.netty;

import io.netty.channel.Channel;
import io.netty.channel.unix.UnixChannel;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The two ends of a channel as slapd writes them in its log. Any thread. */
final class ChannelAddresses {
  private ChannelAddresses() {}

  /** Octets of an IPv6 address before those of an IPv4 address that it stands for. */
  private static final byte[] MAPPED = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1};

  /**
   * The network of an IPv6 client: whoever has one has all of its 2^64 addresses (RFC 4291, section
   * 2.5.4).
   *
   * <p>Immutable.
   *
   * @param prefix the first 64 bits of the address
   */
  record Ipv6Network(long prefix) {}

  /**
   * From where it comes, without a port: an IPv4 address or an IPv6 network; {@code unknown} where
   * that has no address.
   */
  static Object origin(Channel channel, Object unknown) {
    return channel.remoteAddress() instanceof InetSocketAddress remote
            && remote.getAddress() != null
        ? origin(remote.getAddress())
        : unknown;
  }

  /** The IPv4 address, also where it comes as an IPv6 address (RFC 4291, 2.5.5), or the network. */
  static Object origin(InetAddress address) {
    if (!(address instanceof Inet6Address)) {
      return address;
    }
    byte[] octets = address.getAddress();
    if (!Arrays.equals(octets, 0, MAPPED.length, MAPPED, 0, MAPPED.length)) {
      return new Ipv6Network(ByteBuffer.wrap(octets).getLong());
    }
    try {
      return InetAddress.getByAddress(Arrays.copyOfRange(octets, MAPPED.length, octets.length));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("four octets are an address", e);
    }
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
