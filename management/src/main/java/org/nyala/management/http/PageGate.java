package org.nyala.management.http;

import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The rules about where requests for the live page come from: a page of another site must not ask
 * by the browser of an administrator, and only clients on this machine read without a login.
 *
 * <p>Stateless.
 */
final class PageGate {
  /** The header that only scripts of the same site can send. */
  static final String MARK = "X-Nyala-Page";

  private static final Set<String> OWN_SITE = Set.of("same-origin", "none");
  private static final Pattern HOST =
      Pattern.compile("(\\[[0-9a-fA-F:.]{2,64}\\]|[^:\\[\\]]{1,255})(?::[0-9]{1,5})?");

  /** Headers of requests that a proxy passes on. */
  private static final Set<String> OF_PROXIES =
      Set.of("forwarded", "via", "x-real-ip", "x-client-ip", "true-client-ip", "x-proxyuser-ip");

  private static final List<String> PREFIXES_OF_PROXIES =
      List.of("x-forwarded", "x-original", "x-envoy", "x-cluster", "cf-");

  private PageGate() {}

  /**
   * Returns the reason to refuse a request that a page of another site may have caused, or null.
   */
  static @Nullable String foreign(HttpRequest request) {
    if (!OWN_SITE.contains(request.header("Sec-Fetch-Site").orElse("none"))) {
      return "another site has caused this request";
    }
    Optional<String> origin = request.header("Origin");
    String host = request.header("Host").orElse("").toLowerCase(Locale.ROOT);
    boolean isOwn =
        origin
            .map(each -> each.toLowerCase(Locale.ROOT))
            .map(each -> each.equals("http://" + host) || each.equals("https://" + host))
            .map(is -> is && !host.isEmpty())
            .orElse(true);
    return isOwn
        ? null
        : "the Origin is not the Host of this request: a page of another site, or a proxy that"
            + " changes the Host";
  }

  /**
   * Returns whether a request comes from a client on this machine. A proxy on this machine does not
   * count, and neither does a name that leads here: that of another site may.
   *
   * @param address the address of the client
   */
  static boolean isOfThisMachine(HttpRequest request, String address) {
    return isLoopback(address)
        && request.version().equals("1.1")
        && request.headers().keySet().stream().noneMatch(PageGate::isOfProxy)
        && isLoopbackHost(request.header("Host").orElse(""));
  }

  private static boolean isOfProxy(String header) {
    return OF_PROXIES.contains(header) || PREFIXES_OF_PROXIES.stream().anyMatch(header::startsWith);
  }

  private static boolean isLoopbackHost(String host) {
    Matcher parts = HOST.matcher(host);
    if (!parts.matches()) {
      return false;
    }
    String name = parts.group(1);
    return name.equalsIgnoreCase("localhost")
        || isLoopback(name.startsWith("[") ? name.substring(1, name.length() - 1) : name);
  }

  private static boolean isLoopback(String address) {
    try {
      return InetAddress.ofLiteral(address).isLoopbackAddress();
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
