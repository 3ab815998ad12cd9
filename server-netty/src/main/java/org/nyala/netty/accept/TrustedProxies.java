package org.nyala.netty.accept;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The networks of proxies that may say for whom they connect (the PROXY protocol, versions 1 and
 * 2).
 *
 * <p>Immutable.
 */
public final class TrustedProxies {
  private final List<String> texts;
  private final List<Network> networks = new ArrayList<>();

  /** A network: the first bits of its addresses. */
  private record Network(byte[] address, int bits) {
    boolean contains(byte[] other) {
      if (other.length != address.length) {
        return false;
      }
      for (int bit = 0; bit < bits; bit++) {
        int mask = 0x80 >> bit % Byte.SIZE;
        if (((address[bit / Byte.SIZE] ^ other[bit / Byte.SIZE]) & mask) != 0) {
          return false;
        }
      }
      return true;
    }
  }

  /**
   * Reads networks: addresses, or addresses and the number of bits that count, separated by a
   * slash.
   *
   * @throws IllegalArgumentException if one is neither, with its text
   */
  public TrustedProxies(List<String> texts) {
    this.texts = List.copyOf(texts);
    for (String text : texts) {
      networks.add(network(text));
    }
  }

  private static Network network(String text) {
    int slash = text.indexOf('/');
    try {
      byte[] address =
          InetAddress.ofLiteral(slash < 0 ? text : text.substring(0, slash)).getAddress();
      int most = address.length * Byte.SIZE;
      int bits = slash < 0 ? most : Integer.parseInt(text.substring(slash + 1));
      if (bits >= 0 && bits <= most) {
        return new Network(address, bits);
      }
    } catch (IllegalArgumentException _) {
      // The same as a number of bits that there are not.
    }
    throw new IllegalArgumentException(
        "expected an address or a network such as 192.0.2.0/24, found '" + text + "'");
  }

  /** Returns whether a proxy with this address is trusted. */
  public boolean include(InetAddress address) {
    byte[] octets = address.getAddress();
    return networks.stream().anyMatch(network -> network.contains(octets));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof TrustedProxies proxies && texts.equals(proxies.texts);
  }

  @Override
  public int hashCode() {
    return texts.hashCode();
  }

  @Override
  public String toString() {
    return texts.toString();
  }
}
