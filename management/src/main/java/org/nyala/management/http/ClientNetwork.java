package org.nyala.management.http;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The origin of a client: its IPv4 address, or its IPv6 network of 64 bits, all of whose addresses
 * a client has that has one of them.
 *
 * <p>Immutable.
 *
 * @param name the address or the network
 */
record ClientNetwork(String name) {
  private static final int NETWORK_BYTES = 8;

  private static final ClientNetwork UNKNOWN = new ClientNetwork("unknown");

  /** Returns the network of an address; null is that of a connection that is gone. */
  static ClientNetwork of(@Nullable InetAddress address) {
    if (address == null) {
      return UNKNOWN;
    }
    return new ClientNetwork(
        address instanceof Inet6Address
            ? HexFormat.of().formatHex(address.getAddress(), 0, NETWORK_BYTES)
            : address.getHostAddress());
  }
}
