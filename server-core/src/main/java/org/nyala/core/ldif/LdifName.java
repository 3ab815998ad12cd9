package org.nyala.core.ldif;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteAppender;

/**
 * The DN of a record of LDIF (RFC 2849), read from its text alone, for messages about records that
 * cannot be used. Stateless.
 */
public final class LdifName {
  /** The most characters of a DN in a message. */
  private static final int SHOWN = 300;

  private static final String PREFIX = "dn:";

  private LdifName() {}

  /**
   * Returns the DN of a record in UTF-8, as it is written; null if the record does not begin with a
   * DN, comments and the version aside.
   *
   * @param text holds the record from {@code start} to before {@code end}
   */
  public static byte @Nullable [] of(byte[] text, int start, int end) {
    int at = start;
    while (at < end) {
      int next = endOfLine(text, at, end);
      while (next < end && text[next] == ' ') {
        next = endOfLine(text, next, end);
      }
      String line = new String(text, at, Math.min(next - at, 8), StandardCharsets.ISO_8859_1);
      if (line.startsWith(PREFIX)) {
        return value(unfolded(text, at + PREFIX.length(), next));
      }
      if (!line.isBlank() && !line.startsWith("#") && !line.startsWith("version:")) {
        return null;
      }
      at = next;
    }
    return null;
  }

  /** Returns the place after the next line end. */
  private static int endOfLine(byte[] text, int from, int end) {
    int at = from;
    while (at < end && text[at] != '\n') {
      at++;
    }
    return Math.min(at + 1, end);
  }

  /** Returns the text without its line ends, and the blank that continues a line. */
  private static byte[] unfolded(byte[] text, int from, int end) {
    ByteAppender line = new ByteAppender(end - from);
    boolean isStart = false;
    for (int i = from; i < end; i++) {
      if (text[i] == '\n' || text[i] == '\r') {
        isStart = text[i] == '\n';
      } else if (isStart) {
        isStart = false;
      } else {
        line.append(text[i]);
      }
    }
    return line.toByteArray();
  }

  private static byte @Nullable [] value(byte[] line) {
    String text = new String(line, StandardCharsets.ISO_8859_1);
    if (!text.startsWith(":")) {
      return text.strip().getBytes(StandardCharsets.ISO_8859_1);
    }
    try {
      return Base64.getDecoder().decode(text.substring(1).strip());
    } catch (IllegalArgumentException _) {
      return null;
    }
  }

  /**
   * Returns a DN in quotes for a message of one line, without characters that could drive a
   * terminal, and at most 300 characters of it.
   */
  public static String shown(byte[] dn) {
    String text = new String(dn, StandardCharsets.UTF_8);
    StringBuilder shown = new StringBuilder("'");
    text.codePoints()
        .limit(SHOWN)
        .forEach(each -> shown.appendCodePoint(Character.isISOControl(each) ? '?' : each));
    return shown.append(text.codePointCount(0, text.length()) > SHOWN ? "...'" : "'").toString();
  }
}
