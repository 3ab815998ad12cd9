package org.nyala.core.rights;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;

/**
 * The facts about a client that conditions ask for.
 *
 * <p>Immutable.
 *
 * @param name the name that it has bound as; null for anonymous, which the empty name is too
 * @param address its address; null for a client of the local socket
 * @param tls the bits of TLS, 0 without
 * @param sasl the bits of a layer of SASL, 0 without
 * @param transport the bits that the local socket counts for, 0 for other clients
 * @param mechanism {@code simple}, the name of a mechanism of SASL, or empty for anonymous
 */
public record ClientFacts(
    @Nullable Dn name,
    @Nullable InetAddress address,
    int tls,
    int sasl,
    int transport,
    String mechanism) {
  private static final int SAFE_BITS = 128;

  /** Makes a client without a name anonymous. */
  public ClientFacts {
    name = name == null || name.rdnCount() == 0 ? null : name;
  }

  /** Returns the facts about the same client after a bind by another mechanism. */
  public ClientFacts by(String other) {
    return new ClientFacts(name, address, tls, sasl, transport, other);
  }

  /** Returns whether secrets may be sent: encrypted by 128 bits, or on the machine itself. */
  public boolean isSafe() {
    return bits() >= SAFE_BITS || address == null || address.isLoopbackAddress();
  }

  /** Returns the most bits by which the connection is protected, whatever does it. */
  public int bits() {
    return Math.max(tls, Math.max(sasl, transport));
  }
}
