package org.nyala.core.password;

import com.ongres.saslprep.SASLprep;
import com.ongres.stringprep.Profile;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Names and passwords in the one form that SASL compares (SASLprep, RFC 4013).
 *
 * <p>Stateless.
 */
public final class PreparedText {
  private static final Profile SASLPREP = new SASLprep();

  private PreparedText() {}

  /** Prepares text for storing; null if a character is prohibited or not assigned. */
  static byte @Nullable [] stored(byte[] text) {
    return prepared(text, true);
  }

  /** Prepares text for comparison; null if a character is prohibited. */
  public static byte @Nullable [] query(byte[] text) {
    return prepared(text, false);
  }

  private static byte @Nullable [] prepared(byte[] text, boolean isStored) {
    if (isPlain(text)) {
      return text;
    }
    try {
      String decoded = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(text)).toString();
      String prepared = isStored ? SASLPREP.prepareStored(decoded) : SASLPREP.prepareQuery(decoded);
      return prepared.getBytes(StandardCharsets.UTF_8);
    } catch (CharacterCodingException | IllegalArgumentException _) {
      return null;
    }
  }

  /** Printable ASCII is in that form already. */
  private static boolean isPlain(byte[] text) {
    for (byte each : text) {
      if (each < ' ' || each == 0x7F) {
        return false;
      }
    }
    return true;
  }
}
