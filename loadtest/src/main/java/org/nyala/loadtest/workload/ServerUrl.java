package org.nyala.loadtest.workload;

import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;

/** URLs of servers: {@code ldap://host:port} or {@code ldaps://host:port}. Stateless. */
public final class ServerUrl {
  private static final int DEFAULT_LDAP_PORT = 389;
  private static final int DEFAULT_LDAPS_PORT = 636;

  private ServerUrl() {}

  /** The address in a URL; throws {@link IllegalArgumentException} if there is none. */
  public static InetSocketAddress address(String url) {
    URI uri = uri(url);
    boolean isLdaps = "ldaps".equals(uri.getScheme());
    if (!isLdaps && !"ldap".equals(uri.getScheme()) || uri.getHost() == null) {
      throw refused(url);
    }
    int defaultPort = isLdaps ? DEFAULT_LDAPS_PORT : DEFAULT_LDAP_PORT;
    InetSocketAddress address =
        new InetSocketAddress(uri.getHost(), uri.getPort() < 0 ? defaultPort : uri.getPort());
    if (address.isUnresolved()) {
      throw new IllegalArgumentException("--url: unknown host " + uri.getHost());
    }
    return address;
  }

  /** Returns whether a URL demands encryption; throws as {@link #address} does. */
  public static boolean isEncrypted(String url) {
    return "ldaps".equals(uri(url).getScheme());
  }

  private static URI uri(String url) {
    try {
      return new URI(url);
    } catch (URISyntaxException _) {
      throw refused(url);
    }
  }

  private static IllegalArgumentException refused(String url) {
    return new IllegalArgumentException("--url must be ldap://host:port, not " + url);
  }
}
