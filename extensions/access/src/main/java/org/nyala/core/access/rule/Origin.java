package org.nyala.core.access.rule;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * A place that clients connect from.
 *
 * <p>Immutable.
 */
public sealed interface Origin permits Network, Zone, Origin.LocalSocket {
  /**
   * Returns whether a client comes from here.
   *
   * @param address its address; null for a client of the local socket
   */
  boolean includes(@Nullable InetAddress address);

  /** The local socket of the server ({@code ldapi}). */
  enum LocalSocket implements Origin {
    /** The only one. */
    LDAPI;

    @Override
    public boolean includes(@Nullable InetAddress address) {
      return address == null;
    }
  }
}
