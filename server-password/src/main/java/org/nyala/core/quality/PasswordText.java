package org.nyala.core.quality;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.text.Normalizer;
import java.util.Arrays;
import java.util.List;

/**
 * A new password as text.
 *
 * <p>Immutable.
 *
 * @param text its characters in the normal form NFC; those of ISO 8859-1 if it is not UTF-8
 * @param isUtf8 whether it is UTF-8
 */
record PasswordText(String text, boolean isUtf8) {
  /**
   * The size from which on text is not normalized: many combining characters in a row take a time
   * that grows with the square of their number.
   */
  private static final int MOST_NORMALIZED_BYTES = 4096;

  static PasswordText of(byte[] password) {
    try {
      String decoded = UTF_8.newDecoder().decode(ByteBuffer.wrap(password)).toString();
      boolean isNormalized = password.length <= MOST_NORMALIZED_BYTES;
      return new PasswordText(
          isNormalized ? Normalizer.normalize(decoded, Normalizer.Form.NFC) : decoded, true);
    } catch (CharacterCodingException _) {
      return new PasswordText(new String(password, ISO_8859_1), false);
    }
  }

  /** Returns the number of characters. */
  int length() {
    return text.codePointCount(0, text.length());
  }

  /** Returns the password as it came, and in its normal form if that is another one. */
  List<byte[]> encodings(byte[] password) {
    byte[] normalized = isUtf8 ? text.getBytes(UTF_8) : password;
    return Arrays.equals(normalized, password) ? List.of(password) : List.of(password, normalized);
  }

  /** Returns the first characters of a text; a surrogate pair stays whole or is left out. */
  static String beginning(String text, int length) {
    if (text.length() <= length) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(length - 1)) ? length - 1 : length;
    return text.substring(0, end);
  }
}
