package org.nyala.replica;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import org.nyala.error.LocalHosts;

/**
 * The address of an LDAP server, {@code ldap://HOST[:PORT]} or {@code ldaps://HOST[:PORT]} (RFC
 * 4516).
 *
 * <p>Immutable.
 *
 * @param host the name or address of its machine
 * @param port its port
 * @param isTls true if connections are encrypted from their beginning
 */
public record ProviderUrl(String host, int port, boolean isTls) {
  private static final int LDAP_PORT = 389;
  private static final int LDAPS_PORT = 636;

  /**
   * Parses an address.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static ProviderUrl parse(String text) {
    try {
      URI uri = new URI(text);
      String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
      boolean isTls = scheme.equals("ldaps");
      boolean hasRest =
          uri.getRawQuery() != null || uri.getRawPath() != null && uri.getRawPath().length() > 1;
      if ((isTls || scheme.equals("ldap")) && uri.getHost() != null && !hasRest) {
        int port = uri.getPort() < 0 ? isTls ? LDAPS_PORT : LDAP_PORT : uri.getPort();
        String host = uri.getHost();
        boolean isBracketed = host.startsWith("[");
        return new ProviderUrl(
            isBracketed ? host.substring(1, host.length() - 1) : host, port, isTls);
      }
    } catch (URISyntaxException _) {
      // Told below.
    }
    throw new IllegalArgumentException(
        "'" + text + "': expected ldap://HOST[:PORT] or ldaps://HOST[:PORT]");
  }

  /** Returns whether connections do not leave this machine, for certain. */
  public boolean isLoopback() {
    return LocalHosts.isLoopback(host);
  }

  @Override
  public String toString() {
    String shown = host.indexOf(':') < 0 ? host : "[" + host + "]";
    return (isTls ? "ldaps://" : "ldap://") + shown + ":" + port;
  }
}
