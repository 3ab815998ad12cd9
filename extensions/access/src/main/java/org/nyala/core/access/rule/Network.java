package org.nyala.core.access.rule;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A network of IPv4 or IPv6: the first bits of its addresses. An IPv4 address that is written as an
 * IPv6 one ({@code ::ffff:192.0.2.1}) is an IPv4 address.
 *
 * <p>Immutable.
 */
public final class Network implements Origin {
  private static final Pattern IPV4 =
      Pattern.compile("(0|[1-9][0-9]{0,2})([.](0|[1-9][0-9]{0,2})){3}");
  private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*");
  private static final Pattern ZEROS = Pattern.compile("(^|:)(0(:|$)){2,}");
  private static final Pattern BITS = Pattern.compile("0|[1-9][0-9]{0,2}");

  private final InetAddress address;
  private final int bits;

  private Network(InetAddress address, int bits) {
    this.address = address;
    this.bits = bits;
  }

  /**
   * Reads a network such as {@code 192.0.2.0/24}, or a single address.
   *
   * @throws IllegalArgumentException saying what is wrong; an address with bits after the first
   *     ones, too, is not a network
   */
  public static Network parse(String text) {
    int slash = text.indexOf('/');
    InetAddress address = address(slash < 0 ? text : text.substring(0, slash));
    int most = address.getAddress().length * Byte.SIZE;
    if (slash < 0) {
      return new Network(address, most);
    }
    String count = text.substring(slash + 1);
    if (!BITS.matcher(count).matches() || Integer.parseInt(count) > most) {
      throw new IllegalArgumentException("expected a number of bits up to " + most);
    }
    Network network = new Network(address, Integer.parseInt(count));
    byte[] first = network.firstBits(address.getAddress());
    if (!Arrays.equals(first, address.getAddress())) {
      throw new IllegalArgumentException(
          "bits after the first " + count + ", did you mean " + shown(first) + '/' + count + '?');
    }
    return network;
  }

  private static InetAddress address(String text) {
    if (IPV4.matcher(text).matches() || IPV6.matcher(text).matches()) {
      try {
        return InetAddress.ofLiteral(text);
      } catch (IllegalArgumentException _) {
        // The same as any other text.
      }
    }
    throw new IllegalArgumentException("expected an address");
  }

  private static String shown(byte[] octets) {
    try {
      return shown(InetAddress.getByAddress(octets));
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  /* The JDK writes all zeros of an IPv6 address. */
  private static String shown(InetAddress address) {
    return ZEROS.matcher(address.getHostAddress()).replaceFirst("::");
  }

  private byte[] firstBits(byte[] octets) {
    byte[] first = new byte[octets.length];
    for (int bit = 0; bit < bits; bit++) {
      first[bit / Byte.SIZE] |= (byte) (octets[bit / Byte.SIZE] & 0x80 >> bit % Byte.SIZE);
    }
    return first;
  }

  /** The first address. */
  public InetAddress address() {
    return address;
  }

  /** The number of bits that its addresses have in common. */
  public int bits() {
    return bits;
  }

  @Override
  public boolean includes(@Nullable InetAddress other) {
    return other != null
        && other.getAddress().length == address.getAddress().length
        && Arrays.equals(firstBits(other.getAddress()), address.getAddress());
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Network that && bits == that.bits && address.equals(that.address);
  }

  @Override
  public int hashCode() {
    return 31 * address.hashCode() + bits;
  }

  /** The network as the language writes it; one address without a number of bits. */
  @Override
  public String toString() {
    boolean isOne = bits == address.getAddress().length * Byte.SIZE;
    return shown(address) + (isOne ? "" : "/" + bits);
  }
}
