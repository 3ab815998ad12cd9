package org.nyala.core.sasl;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.nyala.core.password.PreparedText;

/**
 * The message of PLAIN (RFC 4616, section 2).
 *
 * <p>Immutable; the password is not written to, and is as the client has sent it, as in a simple
 * bind.
 *
 * @param authorizationId the identity to act as; empty for the user's own
 * @param user the name of the user as SASLprep has it, not empty
 * @param password the password, not empty
 */
public record PlainMessage(String authorizationId, String user, byte[] password) {
  /** The most bytes of a name of a user. */
  public static final int NAME_LENGTH = 1024;

  private static final int PARTS = 3;

  /**
   * Reads a message.
   *
   * @throws MalformedSaslException if it does not have two names and a password
   */
  public static PlainMessage read(byte[] message) throws MalformedSaslException {
    int[] ends = new int[PARTS];
    int part = 0;
    for (int i = 0; i < message.length; i++) {
      if (message[i] == 0) {
        if (part == PARTS - 1) {
          throw new MalformedSaslException("PLAIN: a password without NUL is expected");
        }
        ends[part++] = i;
      }
    }
    ends[part] = message.length;
    if (part < PARTS - 1 || ends[1] == ends[0] + 1 || ends[2] == ends[1] + 1) {
      throw new MalformedSaslException("PLAIN: two names and a password are expected");
    }
    byte[] user = PreparedText.query(limited(message, ends[0] + 1, ends[1]));
    if (user == null || user.length == 0) {
      throw new MalformedSaslException("PLAIN: a name of printable characters is expected");
    }
    return new PlainMessage(
        name(limited(message, 0, ends[0])),
        name(user),
        Arrays.copyOfRange(message, ends[1] + 1, ends[2]));
  }

  private static byte[] limited(byte[] message, int from, int to) throws MalformedSaslException {
    if (to - from > NAME_LENGTH) {
      throw new MalformedSaslException("names of at most " + NAME_LENGTH + " bytes are expected");
    }
    return Arrays.copyOfRange(message, from, to);
  }

  /**
   * Reads a name.
   *
   * @throws MalformedSaslException if it is too long, or no text
   */
  public static String name(byte[] sent) throws MalformedSaslException {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(limited(sent, 0, sent.length)))
          .toString();
    } catch (CharacterCodingException _) {
      throw new MalformedSaslException("names in UTF-8 are expected");
    }
  }

  /** The name of the user, and nothing of the password. */
  @Override
  public String toString() {
    return user;
  }
}
