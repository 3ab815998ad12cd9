package org.nyala.management;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/**
 * An answer to a request of HTTP/1.1. Immutable.
 *
 * @param status what became of the request
 * @param type of the text
 */
record HttpAnswer(Status status, String type, String text) {
  /** The methods that are answered otherwise than with {@link Status#METHOD_NOT_ALLOWED}. */
  static final String METHODS = "GET, HEAD";

  private static final String TEXT = "text/plain; charset=utf-8";

  /** The outcomes that there are. */
  enum Status {
    OK("200 OK"),
    BAD_REQUEST("400 Bad Request"),
    NOT_FOUND("404 Not Found"),
    METHOD_NOT_ALLOWED("405 Method Not Allowed"),
    UNAVAILABLE("503 Service Unavailable");

    private final String line;

    Status(String line) {
      this.line = line;
    }
  }

  /** An answer in plain text. */
  static HttpAnswer text(Status status, String text) {
    return new HttpAnswer(status, TEXT, text);
  }

  /**
   * The answer as it is sent.
   *
   * @param hasBody whether the client asked for more than the header
   * @param isLast whether the connection ends with it
   */
  byte[] encode(Instant now, boolean hasBody, boolean isLast) {
    byte[] body = text.getBytes(UTF_8);
    StringBuilder head = new StringBuilder(256);
    head.append("HTTP/1.1 ").append(status.line).append("\r\nDate: ");
    head.append(DateTimeFormatter.RFC_1123_DATE_TIME.format(now.atOffset(ZoneOffset.UTC)));
    head.append("\r\nContent-Type: ").append(type);
    head.append("\r\nContent-Length: ").append(body.length);
    if (status == Status.METHOD_NOT_ALLOWED) {
      head.append("\r\nAllow: ").append(METHODS);
    }
    if (isLast) {
      head.append("\r\nConnection: close");
    }
    head.append("\r\n\r\n");
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(head.length() + body.length);
    bytes.writeBytes(head.toString().getBytes(ISO_8859_1));
    if (hasBody) {
      bytes.writeBytes(body);
    }
    return bytes.toByteArray();
  }
}
