package org.nyala.netty.accept;

import io.netty.channel.Channel;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.DomainSocketChannel;
import io.netty.channel.unix.UnixChannel;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.nyala.core.session.ClientSource;

/** The two ends of a channel as slapd writes them in its log. Any thread. */
public final class ChannelAddresses {
  private ChannelAddresses() {}

  /** The octets of an IPv6 address before those of an IPv4 address that it stands for. */
  private static final byte[] MAPPED = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1};

  /**
   * The network of an IPv6 client: a client that has one of its addresses has all 2^64 of them (RFC
   * 4291, section 2.5.4).
   *
   * <p>Immutable.
   *
   * @param prefix the first 64 bits of the address
   */
  record Ipv6Network(long prefix) {}

  /**
   * Returns the origin on whose account an anonymous client is: an IPv4 address or an IPv6 network,
   * without a port, or the user of a process of this machine; null if it is not known.
   */
  public static @Nullable Object origin(Channel channel) {
    CarriedAddress carried = CarriedAddress.of(channel);
    if (carried != null) {
      return origin(carried.client().getAddress());
    }
    PeerProcess process = PeerProcess.of(channel);
    if (process != null) {
      return process.user();
    }
    return channel.remoteAddress() instanceof InetSocketAddress remote
            && remote.getAddress() != null
        ? origin(remote.getAddress())
        : null;
  }

  /**
   * Returns the IPv4 address, even if it comes as an IPv6 address (RFC 4291, 2.5.5), or the
   * network.
   */
  public static Object origin(InetAddress address) {
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

  /** Returns the addresses of the client and its proxy, or the process, for the security log. */
  public static ClientSource source(Channel channel) {
    PeerProcess process = PeerProcess.of(channel);
    if (process != null) {
      return process.source();
    }
    InetSocketAddress remote =
        channel.remoteAddress() instanceof InetSocketAddress address && address.getAddress() != null
            ? address
            : null;
    CarriedAddress carried = CarriedAddress.of(channel);
    if (carried != null) {
      return new ClientSource(carried.client(), remote, null);
    }
    return remote == null ? ClientSource.UNKNOWN : new ClientSource(remote, null, null);
  }

  /** Returns the client's address, such as {@code IP=127.0.0.1:40000}. */
  public static String peer(Channel channel) {
    CarriedAddress carried = CarriedAddress.of(channel);
    if (carried != null) {
      return text(carried.client()) + " via " + text(channel.remoteAddress());
    }
    // The client's end of a local socket has no name.
    return text(isLocalSocket(channel) ? channel.localAddress() : channel.remoteAddress());
  }

  /** Returns the address that the client has connected to, likewise. */
  public static String local(Channel channel) {
    return text(channel.localAddress());
  }

  /** Returns whether the client has connected over the loopback interface or a local socket. */
  public static boolean isOnThisMachine(Channel channel) {
    CarriedAddress carried = CarriedAddress.of(channel);
    // The loopback address of a proxy's machine is not one of this machine.
    boolean isAtHome = carried == null || carried.client().getAddress().isLoopbackAddress();
    return isLocalSocket(channel)
        || isAtHome
            && channel.remoteAddress() instanceof InetSocketAddress peer
            && peer.getAddress().isLoopbackAddress();
  }

  /** Returns whether the client has connected over a local socket. */
  public static boolean isLocalSocket(Channel channel) {
    return channel instanceof DomainSocketChannel || channel instanceof NioDomainSocketChannel;
  }

  private static String text(@Nullable SocketAddress address) {
    if (address instanceof DomainSocketAddress local) {
      return "PATH=" + local.path();
    }
    if (address instanceof UnixDomainSocketAddress local) {
      return "PATH=" + local.getPath();
    }
    if (!(address instanceof InetSocketAddress socket)) {
      return "unknown";
    }
    String host = socket.getAddress().getHostAddress();
    return "IP=" + (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + socket.getPort();
  }

  /** Returns the file descriptor of the socket; {@code otherwise} if it is not known. */
  public static int descriptor(Channel channel, int otherwise) {
    return channel instanceof UnixChannel unix ? unix.fd().intValue() : otherwise;
  }
}
