package org.nyala.config;

import java.net.URI;
import java.net.URISyntaxException;
import org.nyala.netty.WireSettings;

/**
 * An address that the server accepts connections on.
 *
 * <p>Immutable.
 *
 * @param host a name or an address, IPv6 without brackets
 * @param port 0 for any free port
 * @param isTls true if connections are encrypted from their beginning
 */
public record ListenAddress(String host, int port, boolean isTls) {
  /** An address whose connections are not encrypted. */
  public ListenAddress(String host, int port) {
    this(host, port, false);
  }

  /**
   * The default port of a URL. Ports below 1024 need rights that a directory server should not
   * have.
   */
  static final int DEFAULT_PORT = 1389;

  /** The same of encrypted connections. */
  private static final int DEFAULT_TLS_PORT = 1636;

  private static final int MAXIMUM_PORT = 65_535;

  /**
   * Reads {@code ldap://host[:port]} or {@code ldaps://host[:port]}.
   *
   * @throws IllegalArgumentException if it is anything else; the message states the expected form
   */
  public static ListenAddress parse(String url) {
    URI uri;
    try {
      uri = new URI(url);
    } catch (URISyntaxException e) {
      throw notAnAddress(url);
    }
    boolean bare = uri.getRawPath() == null || uri.getRawPath().matches("/?");
    boolean isTls = "ldaps".equalsIgnoreCase(uri.getScheme());
    if (!isTls && !"ldap".equalsIgnoreCase(uri.getScheme())
        || uri.getHost() == null
        || !bare
        || uri.getPort() > MAXIMUM_PORT
        || uri.getRawQuery() != null
        || uri.getRawUserInfo() != null) {
      throw notAnAddress(url);
    }
    String host = uri.getHost().replaceAll("[\\[\\]]", "");
    int usual = isTls ? DEFAULT_TLS_PORT : DEFAULT_PORT;
    return new ListenAddress(host, uri.getPort() < 0 ? usual : uri.getPort(), isTls);
  }

  /**
   * Reads {@code host:port}, an IPv6 address in brackets.
   *
   * @throws IllegalArgumentException if it is anything else; the message states the expected form
   */
  static ListenAddress parseHostAndPort(String text) {
    String expected = "expected HOST:PORT, found '" + text + "'";
    URI uri;
    try {
      uri = new URI("tcp://" + text);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(expected, e);
    }
    boolean whole = text.equals(uri.getHost() + ":" + uri.getPort());
    if (!whole || uri.getPort() > MAXIMUM_PORT) {
      throw new IllegalArgumentException(expected);
    }
    return new ListenAddress(uri.getHost().replaceAll("[\\[\\]]", ""), uri.getPort());
  }

  private static IllegalArgumentException notAnAddress(String url) {
    return new IllegalArgumentException(
        "expected ldap://HOST[:PORT] or ldaps://HOST[:PORT], found '" + url + "'");
  }

  /** Returns the URL of a listener. */
  public static String url(String host, int port, boolean isTls) {
    return (isTls ? "ldaps://" : "ldap://")
        + (host.indexOf(':') < 0 ? host : "[" + host + "]")
        + ":"
        + port;
  }

  /** Returns this address as a listener of the wire. */
  WireSettings.Listener toListener() {
    return new WireSettings.Listener(host, port, isTls);
  }

  /** Returns this address as a URL. */
  public String url() {
    return url(host, port, isTls);
  }
}
