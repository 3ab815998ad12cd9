package org.nyala.error;

import java.net.InetAddress;

/** The hosts that are this machine for certain. Stateless. */
public final class LocalHosts {
  private LocalHosts() {}

  /** Returns whether connections to a host do not leave this machine; no name is looked up. */
  public static boolean isLoopback(String host) {
    try {
      return host.equalsIgnoreCase("localhost") || InetAddress.ofLiteral(host).isLoopbackAddress();
    } catch (IllegalArgumentException _) {
      return false;
    }
  }
}
