package org.nyala.loadtest.ldap;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.Unpooled;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An LDAP URL in a referral (RFC 4516). Immutable.
 *
 * @param isEncrypted true for {@code ldaps}
 * @param host the name of the server; empty for the one that has answered
 * @param dn the name to ask for; null for that of the request
 * @param scope the scope of a search (RFC 4511, section 4.5.1.2); -1 for that of the request
 * @param filter the filter of a search; empty for that of the request
 */
public record ReferralUrl(
    boolean isEncrypted, String host, int port, @Nullable String dn, int scope, String filter) {
  private static final int LDAP_PORT = 389;
  private static final int LDAPS_PORT = 636;
  private static final int SEARCH = 0x63;
  private static final int BIND = 0x60;
  private static final int DELETE = 0x4a;
  private static final int EXTENDED = 0x77;
  private static final int CONTROLS = 0xa0;
  private static final int SASL = 0xa3;
  private static final int SCOPE = 1;
  private static final int FILTER = 6;
  private static final int ONE_LEVEL = 1;

  /** Reads a URL; null if it is none of LDAP. */
  public static @Nullable ReferralUrl of(String text) {
    String lower = text.toLowerCase(Locale.ROOT);
    boolean isLdaps = lower.startsWith("ldaps://");
    if (!isLdaps && !lower.startsWith("ldap://")) {
      return null;
    }
    int begin = isLdaps ? 8 : 7;
    int slash = text.indexOf('/', begin);
    try {
      URI server = new URI("ldap://" + (slash == begin ? "-" : cut(text, begin, slash)));
      String[] parts = slash < 0 ? new String[] {""} : text.substring(slash + 1).split("\\?", -1);
      String filter = part(parts, 3);
      if (server.getHost() == null && slash != begin
          || !filter.isEmpty() && !Filters.isFilter(filter)) {
        return null;
      }
      return new ReferralUrl(
          isLdaps,
          slash == begin ? "" : server.getHost(),
          server.getPort() < 0 ? isLdaps ? LDAPS_PORT : LDAP_PORT : server.getPort(),
          parts[0].isEmpty() ? null : part(parts, 0),
          List.of("base", "one", "sub").indexOf(part(parts, 2).toLowerCase(Locale.ROOT)),
          filter);
    } catch (URISyntaxException | IllegalArgumentException e) {
      return null;
    }
  }

  private static String cut(String text, int from, int to) {
    return to < 0 ? text.substring(from) : text.substring(from, to);
  }

  private static String part(String[] parts, int place) {
    return place < parts.length ? URLDecoder.decode(parts[place].replace("+", "%2B"), UTF_8) : "";
  }

  /**
   * Returns a request as this URL asks for it; null for binds by SASL and requests with controls,
   * which depend on the server that they were made for.
   *
   * @param isContinued true if it goes on with a search at one level, and so reads one entry (RFC
   *     4511, section 4.5.3)
   */
  public byte @Nullable [] applied(byte[] request, boolean isContinued) {
    List<byte[]> message = elements(request, content(request), request.length);
    byte[] operation = message.get(1);
    int tag = operation[0] & 0xff;
    if (message.size() > 2 && (message.get(2)[0] & 0xff) == CONTROLS) {
      return null;
    }
    if (tag == DELETE || tag == EXTENDED) {
      return dn == null || tag == EXTENDED
          ? request
          : message(message.getFirst(), Pdu.element(tag, Pdu.utf8(dn)));
    }
    List<byte[]> parts = elements(operation, content(operation), operation.length);
    if (tag == BIND && (parts.get(2)[0] & 0xff) == SASL) {
      return null;
    }
    if (dn != null) {
      parts.set(tag == BIND ? 1 : 0, Pdu.element(Pdu.OCTET_STRING, Pdu.utf8(dn)));
    }
    if (tag == SEARCH) {
      byte[] asked = parts.get(SCOPE);
      boolean isOneLevel = asked[asked.length - 1] == ONE_LEVEL;
      int wanted = scope >= 0 ? scope : isContinued && isOneLevel ? 0 : asked[asked.length - 1];
      parts.set(SCOPE, Pdu.element(Pdu.ENUMERATED, new byte[] {(byte) wanted}));
      if (!filter.isEmpty()) {
        parts.set(FILTER, Filters.encode(filter));
      }
    }
    return message(message.getFirst(), Pdu.element(tag, parts.toArray(byte[][]::new)));
  }

  private static byte[] message(byte[] id, byte[] operation) {
    return Pdu.element(Pdu.SEQUENCE, id, operation);
  }

  /** The place of the content of a whole element. */
  private static int content(byte[] element) {
    int first = element[1] & 0xff;
    return first < 0x80 ? 2 : 2 + (first & 0x7f);
  }

  /** The elements between two places of bytes that this program made. */
  private static List<byte[]> elements(byte[] bytes, int from, int to) {
    BerCursor cursor = new BerCursor();
    cursor.reset(Unpooled.wrappedBuffer(bytes), from, to);
    List<byte[]> elements = new ArrayList<>();
    int start = from;
    while (start < to && cursor.next(bytes[start] & 0xff)) {
      elements.add(Arrays.copyOfRange(bytes, start, cursor.contentEnd()));
      start = cursor.contentEnd();
    }
    return elements;
  }
}
