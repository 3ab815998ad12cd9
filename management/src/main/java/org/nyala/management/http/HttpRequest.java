package org.nyala.management.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A request: its first line and its headers, and the body of an action; other bodies are not read.
 *
 * <p>Immutable.
 *
 * @param method in capitals
 * @param path the path as it was sent, without the query
 * @param version the version of HTTP
 * @param headers the values by their names in lower case; those of one name are joined
 * @param body the body of an action; empty for none
 */
record HttpRequest(
    String method, String path, String version, Map<String, String> headers, String body) {
  /** The most bytes of the body of an action. */
  static final int MOST_BODY_BYTES = 16_384;

  /** The beginning of the paths of actions. */
  static final String ACTIONS = "/page/actions/";

  private static final String POST = "POST";

  /** The most bytes of first line and headers: far more than probes and collectors send. */
  static final int MOST_BYTES = 8192;

  private static final Pattern FIRST_LINE =
      Pattern.compile("([A-Z]{1,16}) (?:https?://[^/ ?]*)?([^ ?]*)(?:[?][^ ]*)? HTTP/(\\d\\.\\d)");

  /** The value may have characters that end lines elsewhere, such as the byte 0x85. */
  private static final Pattern HEADER =
      Pattern.compile("([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)", Pattern.DOTALL);

  private static final Pattern LENGTH = Pattern.compile("[0-9]{1,9}");

  private static final List<String> VERSIONS = List.of("1.0", "1.1");

  HttpRequest {
    headers = Map.copyOf(headers);
  }

  Optional<String> header(String name) {
    return Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT)));
  }

  /**
   * Reads the next request; blocks until it is complete.
   *
   * @return null if the client ends the connection before
   * @throws HttpRefusal if it is too long or malformed
   */
  static @Nullable HttpRequest read(InputStream in) throws IOException, HttpRefusal {
    byte[] head = new byte[MOST_BYTES];
    int length = 0;
    int end = -1;
    while (end < 0) {
      if (length == head.length) {
        throw new HttpRefusal(
            HttpAnswer.HEAD_TOO_LARGE, "a request has at most " + MOST_BYTES + " bytes");
      }
      int read = in.read(head, length, head.length - length);
      if (read < 0) {
        return null;
      }
      end = end(head, Math.max(0, length - 3), length + read);
      length += read;
    }
    HttpRequest request = parse(new String(Arrays.copyOf(head, end), ISO_8859_1));
    // Behind the empty line, which ends by LF or CR LF.
    int begin = end + (head[end] == '\n' ? 1 : 2);
    return request.isAction() ? request.withBody(in, head, begin, length) : request;
  }

  /** Returns whether it asks for an action. */
  boolean isAction() {
    return method.equals(POST) && path.startsWith(ACTIONS);
  }

  /**
   * Reads the body.
   *
   * @param known the bytes that were read, in which it begins
   * @return null if the client ends the connection before
   */
  private @Nullable HttpRequest withBody(InputStream in, byte[] known, int begin, int end)
      throws IOException, HttpRefusal {
    String said = header("Content-Length").orElse("");
    if (said.isEmpty() || header("Transfer-Encoding").isPresent()) {
      throw new HttpRefusal(HttpAnswer.LENGTH_REQUIRED, "an action needs its Content-Length");
    }
    if (!LENGTH.matcher(said).matches()) {
      throw new HttpRefusal(HttpAnswer.BAD_REQUEST, "the Content-Length is malformed");
    }
    long wanted = Long.parseLong(said);
    if (wanted > MOST_BODY_BYTES) {
      throw new HttpRefusal(
          HttpAnswer.CONTENT_TOO_LARGE, "an action has at most " + MOST_BODY_BYTES + " bytes");
    }
    byte[] content = new byte[(int) wanted];
    int length = Math.min(content.length, end - begin);
    System.arraycopy(known, begin, content, 0, length);
    length += in.readNBytes(content, length, content.length - length);
    if (length < content.length) {
      return null;
    }
    try {
      String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
      return new HttpRequest(method, path, version, headers, text);
    } catch (CharacterCodingException e) {
      throw new HttpRefusal(HttpAnswer.BAD_REQUEST, "the body is not in UTF-8");
    }
  }

  /** Returns the end of the headers, behind their last line; negative if it is not there yet. */
  private static int end(byte[] head, int from, int to) {
    for (int i = from; i < to - 1; i++) {
      if (head[i] == '\n'
          && (head[i + 1] == '\n' || i + 2 < to && head[i + 1] == '\r' && head[i + 2] == '\n')) {
        return i + 1;
      }
    }
    return -1;
  }

  private static HttpRequest parse(String head) throws HttpRefusal {
    List<String> lines = head.lines().toList();
    Matcher first = FIRST_LINE.matcher(lines.isEmpty() ? "" : lines.getFirst());
    if (!first.matches()) {
      throw new HttpRefusal(HttpAnswer.BAD_REQUEST, "not a request of HTTP/1.1");
    }
    if (!VERSIONS.contains(first.group(3))) {
      throw new HttpRefusal(HttpAnswer.VERSION_NOT_SUPPORTED, "expected HTTP/1.1");
    }
    Map<String, String> headers = new HashMap<>();
    for (String line : lines.subList(1, lines.size())) {
      Matcher header = HEADER.matcher(line);
      if (!header.matches()) {
        throw new HttpRefusal(HttpAnswer.BAD_REQUEST, "a header is malformed");
      }
      headers.merge(
          header.group(1).toLowerCase(Locale.ROOT),
          header.group(2).strip(),
          (one, other) -> one + ", " + other);
    }
    String path = first.group(2);
    return new HttpRequest(
        first.group(1), path.isEmpty() ? "/" : path, first.group(3), headers, "");
  }
}
