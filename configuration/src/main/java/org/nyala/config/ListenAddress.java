package org.nyala.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import org.nyala.netty.WireSettings;
import org.nyala.netty.accept.LocalSocket;

/**
 * An address that the server accepts connections on.
 *
 * <p>Immutable.
 *
 * @param host a name or an address, IPv6 without brackets
 * @param port 0 for any free port
 * @param isTls true if connections are encrypted from their beginning
 * @param path the file of a socket of this machine; empty for one of the network
 * @param isProxied true if proxies connect, which say for whom
 */
public record ListenAddress(String host, int port, boolean isTls, String path, boolean isProxied) {
  /** An address of the network. */
  public ListenAddress(String host, int port, boolean isTls) {
    this(host, port, isTls, "", false);
  }

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

  /** The letter before the scheme of listeners for proxies, as in slapd. */
  private static final String PROXIED = "p";

  private static final Set<String> SCHEMES = Set.of("ldap", "ldaps", "pldap", "pldaps");

  /** The most bytes of the name of the file of a socket (unix(7)). */
  private static final int MAXIMUM_PATH = 107;

  /**
   * Reads {@code ldap://host[:port]}, {@code ldaps://host[:port]}, the same with {@code p} before
   * them for the PROXY protocol, or {@code ldapi:///path}, for which {@code ldapi://%2Fpath}, as
   * clients write it, is another form.
   *
   * @throws IllegalArgumentException if it is anything else; the message states the expected form
   */
  public static ListenAddress parse(String url) {
    if (url.regionMatches(true, 0, LocalSocket.SCHEME, 0, LocalSocket.SCHEME.length())) {
      return new ListenAddress("", 0, false, path(url), false);
    }
    URI uri;
    try {
      uri = new URI(url);
    } catch (URISyntaxException e) {
      throw notAnAddress(url);
    }
    boolean bare = uri.getRawPath() == null || uri.getRawPath().matches("/?");
    String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
    boolean isTls = scheme.endsWith("s");
    if (!SCHEMES.contains(scheme)
        || uri.getHost() == null
        || !bare
        || uri.getPort() > MAXIMUM_PORT
        || uri.getRawQuery() != null
        || uri.getRawUserInfo() != null) {
      throw notAnAddress(url);
    }
    String host = uri.getHost().replaceAll("[\\[\\]]", "");
    int usual = isTls ? DEFAULT_TLS_PORT : DEFAULT_PORT;
    int port = uri.getPort() < 0 ? usual : uri.getPort();
    return new ListenAddress(host, port, isTls, "", scheme.startsWith(PROXIED));
  }

  private static String path(String url) {
    String file = LocalSocket.file(url);
    if (file.length() < 2
        || file.charAt(0) != '/'
        || file.getBytes(StandardCharsets.UTF_8).length > MAXIMUM_PATH) {
      throw new IllegalArgumentException(
          "expected ldapi:///PATH with at most " + MAXIMUM_PATH + " bytes, found '" + url + "'");
    }
    return file;
  }

  /**
   * Reads {@code host:port}, an IPv6 address in brackets.
   *
   * @throws IllegalArgumentException if it is anything else; the message states the expected form
   */
  public static ListenAddress parseHostAndPort(String text) {
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
        "expected ldap://HOST[:PORT], ldaps://HOST[:PORT] or ldapi:///PATH, found '" + url + "'");
  }

  public static String url(String host, int port, boolean isTls) {
    return (isTls ? "ldaps://" : "ldap://")
        + (host.indexOf(':') < 0 ? host : "[" + host + "]")
        + ":"
        + port;
  }

  /** Returns whether it is a socket of this machine. */
  public boolean isLocal() {
    return !path.isEmpty();
  }

  /** Returns this address, one of the network, as a listener of the wire. */
  WireSettings.Listener toListener() {
    return new WireSettings.Listener(host, port, isTls);
  }

  public String url() {
    if (isLocal()) {
      return LocalSocket.url(path);
    }
    return (isProxied ? PROXIED : "") + url(host, port, isTls);
  }
}
