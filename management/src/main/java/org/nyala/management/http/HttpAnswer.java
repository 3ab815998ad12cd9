package org.nyala.management.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An answer, after which the connection ends.
 *
 * <p>Immutable.
 *
 * @param status the code and its reason, such as {@code 200 OK}
 * @param headers further headers, none of them with input of clients
 * @param body the content, in UTF-8
 */
record HttpAnswer(String status, Map<String, String> headers, String body) implements HttpReply {
  static final String OK = "200 OK";
  static final String BAD_REQUEST = "400 Bad Request";
  static final String UNAUTHORIZED = "401 Unauthorized";
  static final String FORBIDDEN = "403 Forbidden";
  static final String NOT_FOUND = "404 Not Found";
  static final String METHOD_NOT_ALLOWED = "405 Method Not Allowed";
  static final String CONFLICT = "409 Conflict";
  static final String LENGTH_REQUIRED = "411 Length Required";
  static final String CONTENT_TOO_LARGE = "413 Content Too Large";
  static final String UNSUPPORTED_TYPE = "415 Unsupported Media Type";
  static final String TOO_MANY = "429 Too Many Requests";
  static final String HEAD_TOO_LARGE = "431 Request Header Fields Too Large";
  static final String FAILED = "500 Internal Server Error";
  static final String UNAVAILABLE = "503 Service Unavailable";
  static final String VERSION_NOT_SUPPORTED = "505 HTTP Version Not Supported";

  private static final String LINE = "\r\n";

  HttpAnswer {
    headers = Map.copyOf(headers);
  }

  static HttpAnswer text(String status, String line) {
    return new HttpAnswer(status, Map.of("Content-Type", "text/plain; charset=utf-8"), line + "\n");
  }

  /** Returns an answer in JSON. */
  static HttpAnswer json(String status, String json) {
    return new HttpAnswer(status, Map.of("Content-Type", "application/json"), json);
  }

  /** Returns the same with further headers. */
  HttpAnswer with(Map<String, String> others) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.putAll(others);
    return new HttpAnswer(status, more, body);
  }

  /** Returns the same with one more header. */
  HttpAnswer with(String header, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(header, value);
    return new HttpAnswer(status, more, body);
  }

  /**
   * Returns the head of an answer.
   *
   * @param length the length of the body in bytes; negative if the end of the connection says it
   */
  static byte[] head(String status, Map<String, String> headers, int length) {
    StringBuilder head = new StringBuilder("HTTP/1.1 ").append(status).append(LINE);
    headers.forEach((name, value) -> head.append(name).append(": ").append(value).append(LINE));
    if (length >= 0) {
      head.append("Content-Length: ").append(length).append(LINE);
    }
    head.append("Cache-Control: no-store").append(LINE);
    head.append("Connection: close").append(LINE).append(LINE);
    return head.toString().getBytes(ISO_8859_1);
  }

  /**
   * Writes it.
   *
   * @param hasBody false for the answer to HEAD
   */
  void write(OutputStream out, boolean hasBody) throws IOException {
    byte[] content = body.getBytes(UTF_8);
    byte[] head = head(status, headers, content.length);
    ByteArrayOutputStream whole = new ByteArrayOutputStream(head.length + content.length);
    whole.writeBytes(head);
    if (hasBody) {
      whole.writeBytes(content);
    }
    whole.writeTo(out);
    out.flush();
  }
}
