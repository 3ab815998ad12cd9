package org.nyala.management;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * A request of HTTP/1.0 or 1.1 (RFC 9112) without its body, which nobody here asks for. Immutable.
 *
 * @param method as it was sent
 * @param path of the target, without what follows a question mark
 * @param isOfVersion11 whether the client keeps a connection unless it says otherwise
 * @param headers by names in small letters
 */
record HttpRequest(String method, String path, boolean isOfVersion11, Map<String, String> headers) {
  /** More than any client needs. */
  static final int BYTES_MAXIMUM = 16 * 1024;

  private static final int PARTS_OF_FIRST_LINE = 3;

  /** Copies the headers. */
  HttpRequest {
    headers = Map.copyOf(headers);
  }

  /** The value of a header; empty where there is none. */
  String header(String name) {
    return headers.getOrDefault(name, "");
  }

  /** Whether a body follows. */
  boolean hasBody() {
    return !header("transfer-encoding").isEmpty()
        || !header("content-length").isEmpty() && !header("content-length").equals("0");
  }

  /** Whether the client may send another request on the same connection. */
  boolean isKept() {
    return isOfVersion11 && !hasBody() && !header("connection").equalsIgnoreCase("close");
  }

  /**
   * Reads one up to its empty line.
   *
   * @param first its first byte, which was read already
   * @throws ProtocolException if it is none, or too long
   */
  static HttpRequest read(int first, InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    int lineBytes = 0;
    for (int next = first; ; next = in.read()) {
      if (next < 0) {
        throw new EOFException("the client has gone");
      }
      if (next == '\n' && lineBytes == 0) {
        return parse(head.toString(ISO_8859_1).lines().toList());
      }
      if (head.size() == BYTES_MAXIMUM) {
        throw new ProtocolException("more than " + BYTES_MAXIMUM + " bytes");
      }
      head.write(next);
      lineBytes = next == '\n' ? 0 : lineBytes + (next == '\r' ? 0 : 1);
    }
  }

  private static HttpRequest parse(List<String> lines) throws ProtocolException {
    String[] first = lines.getFirst().split(" ", -1);
    if (first.length != PARTS_OF_FIRST_LINE || !first[2].matches("HTTP/1\\.[0-9]")) {
      throw new ProtocolException("no request of HTTP/1.1");
    }
    Map<String, String> headers = new HashMap<>();
    for (String line : lines.subList(1, lines.size())) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        headers.merge(
            line.substring(0, colon).toLowerCase(Locale.ROOT),
            line.substring(colon + 1).strip(),
            (one, other) -> one + ", " + other);
      }
    }
    return new HttpRequest(first[0], path(first[1]), !first[2].endsWith(".0"), headers);
  }

  private static String path(String target) throws ProtocolException {
    try {
      return Objects.requireNonNullElse(URI.create(target).getPath(), "");
    } catch (IllegalArgumentException e) {
      throw new ProtocolException("no target");
    }
  }
}
