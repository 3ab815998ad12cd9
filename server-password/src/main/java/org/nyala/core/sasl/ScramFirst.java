package org.nyala.core.sasl;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.nyala.core.password.PreparedText;

/**
 * The first message of a SCRAM client (RFC 5802, section 7: client-first-message).
 *
 * <p>Immutable.
 *
 * @param header the header as it was sent, with its last comma
 * @param binding the kind of channel binding that is used; null for none
 * @param knowsBinding true if the client could bind the channel, and thinks that the server cannot
 * @param authorizationId the identity to act as; empty for the user's own
 * @param user the name of the user as SASLprep has it, not empty
 * @param nonce the client's nonce
 * @param bare the message without its header
 */
public record ScramFirst(
    String header,
    @Nullable String binding,
    boolean knowsBinding,
    String authorizationId,
    String user,
    String nonce,
    String bare) {
  /** The most bytes of a message. */
  static final int MESSAGE_LENGTH = 2048;

  /**
   * Reads a message.
   *
   * @throws MalformedSaslException if it is not one, or requires an extension
   */
  public static ScramFirst read(byte[] message) throws MalformedSaslException {
    String text = text(message);
    int flagEnd = text.indexOf(',');
    int headerEnd = flagEnd < 0 ? -1 : text.indexOf(',', flagEnd + 1);
    if (headerEnd < 0) {
      throw new MalformedSaslException("SCRAM: a header is expected");
    }
    String flag = text.substring(0, flagEnd);
    String named = text.substring(flagEnd + 1, headerEnd);
    boolean isBinding = flag.length() > 2 && flag.startsWith("p=");
    if (!isBinding && !flag.equals("n") && !flag.equals("y")
        || !named.isEmpty() && !named.startsWith("a=")) {
      throw new MalformedSaslException("SCRAM: n, y or p= and a name are expected");
    }
    String bare = text.substring(headerEnd + 1);
    String[] parts = bare.split(",", -1);
    refuseExtensions(parts);
    if (parts.length < 2 || !parts[0].startsWith("n=") || !parts[1].startsWith("r=")) {
      throw new MalformedSaslException("SCRAM: n= and r= are expected");
    }
    return new ScramFirst(
        text.substring(0, headerEnd + 1),
        isBinding ? flag.substring(2) : null,
        flag.equals("y"),
        named.isEmpty() ? "" : name(named.substring(2)),
        name(parts[0].substring(2)),
        nonce(parts[1].substring(2)),
        bare);
  }

  /** Refuses a message with an extension that has to be understood (section 5.1). */
  static void refuseExtensions(String[] parts) throws MalformedSaslException {
    for (String part : parts) {
      if (part.startsWith("m=")) {
        throw new MalformedSaslException("SCRAM: an extension is not supported");
      }
    }
  }

  static String text(byte[] message) throws MalformedSaslException {
    if (message.length > MESSAGE_LENGTH) {
      throw new MalformedSaslException(
          "SCRAM: a message of at most " + MESSAGE_LENGTH + " bytes is expected");
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(message)).toString();
    } catch (CharacterCodingException _) {
      throw new MalformedSaslException("SCRAM: text in UTF-8 is expected");
    }
  }

  /** Reads a name, in which a comma and an equals sign are escaped (section 5.1). */
  private static String name(String escaped) throws MalformedSaslException {
    StringBuilder name = new StringBuilder(escaped.length());
    for (int i = 0; i < escaped.length(); i++) {
      char each = escaped.charAt(i);
      if (each != '=') {
        name.append(each);
      } else if (escaped.startsWith("=2C", i)) {
        name.append(',');
        i += 2;
      } else if (escaped.startsWith("=3D", i)) {
        name.append('=');
        i += 2;
      } else {
        throw new MalformedSaslException("SCRAM: =2C or =3D is expected for = in a name");
      }
    }
    byte[] prepared = PreparedText.query(name.toString().getBytes(StandardCharsets.UTF_8));
    if (prepared == null || prepared.length == 0 || prepared.length > PlainMessage.NAME_LENGTH) {
      throw new MalformedSaslException("SCRAM: a name of printable characters is expected");
    }
    return new String(prepared, StandardCharsets.UTF_8);
  }

  private static String nonce(String nonce) throws MalformedSaslException {
    boolean isPrintable = nonce.chars().allMatch(each -> each > ' ' && each < 0x7F);
    if (nonce.isEmpty() || !isPrintable) {
      throw new MalformedSaslException("SCRAM: a nonce of printable characters is expected");
    }
    return nonce;
  }
}
