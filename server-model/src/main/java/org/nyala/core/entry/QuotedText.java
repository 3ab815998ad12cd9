package org.nyala.core.entry;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.nyala.core.bytes.PrintableText;
import org.nyala.core.schema.AttributeType;

/**
 * Names and values as messages show them: in quotes, bounded, and with only those characters that a
 * terminal can show.
 */
public final class QuotedText {
  private static final int MAXIMUM_VALUE_BYTES = 64;
  private static final int MAXIMUM_NAME_CHARS = 64;

  private QuotedText() {}

  /** A name that a client sent, in quotes and cut. */
  public static String quoted(String name) {
    return "'" + PrintableText.of(name, MAXIMUM_NAME_CHARS) + "'";
  }

  /** A value of an attribute in quotes; of passwords that there is one. */
  public static String quoted(AttributeType type, byte[] value) {
    return type.isSecret() ? "(not shown)" : quoted(value);
  }

  /** A value in quotes, its first 64 bytes; or its length where it is not text. */
  public static String quoted(byte[] value) {
    int end = Math.min(value.length, MAXIMUM_VALUE_BYTES);
    while (end > 0 && end < value.length && (value[end] & 0xc0) == 0x80) {
      end--;
    }
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value, 0, end)).toString();
    } catch (CharacterCodingException e) {
      return "of " + value.length + " bytes";
    }
    for (int i = 0; i < text.length(); i++) {
      if (Character.isISOControl(text.charAt(i))) {
        return "of " + value.length + " bytes";
      }
    }
    return "'" + PrintableText.of(text, text.length()) + (end < value.length ? "...'" : "'");
  }
}
