package org.nyala.core.sasl;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import org.nyala.core.password.ScramKeys;
import org.nyala.core.password.VerificationPermit;

/**
 * The server's side of one exchange of SCRAM (RFC 5802, section 5).
 *
 * <p>Confined to one running operation, or to the session between two.
 */
public final class ScramExchange {
  private final ScramFirst first;
  private final ScramKeys keys;
  private final String nonce;
  private final String challenge;
  private @Nullable Mismatch mismatch;

  /** The first part of the client's last message that was wrong. */
  public enum Mismatch {
    NONCE,
    CHANNEL,
    PROOF
  }

  /**
   * Begins with the client's first message.
   *
   * @param keys the user's, or decoys that no proof fits
   * @param serverNonce printable characters without a comma that cannot be predicted
   */
  public ScramExchange(ScramFirst first, ScramKeys keys, String serverNonce) {
    this.first = first;
    this.keys = keys;
    this.nonce = first.nonce() + serverNonce;
    this.challenge = "r=" + nonce + ",s=" + keys.salt() + ",i=" + keys.iterations();
  }

  /** Returns the client's first message. */
  public ScramFirst first() {
    return first;
  }

  /** Returns the keys that the proof has to fit. */
  public ScramKeys keys() {
    return keys;
  }

  /** Returns the server's first message. */
  public byte[] challenge() {
    return challenge.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Checks the client's last message.
   *
   * @param permit the permission of the gate that counts the attempt
   * @param binding the channel as this side has it; empty if the client does not bind it
   * @return the server's last message; null if the client does not know the password, or is not at
   *     the other end of this channel
   * @throws MalformedSaslException if it is not such a message
   */
  public byte @Nullable [] finish(VerificationPermit permit, byte[] message, byte[] binding)
      throws MalformedSaslException {
    String text = ScramFirst.text(message);
    int proofAt = text.lastIndexOf(",p=");
    String[] parts = text.substring(0, Math.max(0, proofAt)).split(",", -1);
    ScramFirst.refuseExtensions(parts);
    if (parts.length < 2 || !parts[0].startsWith("c=") || !parts[1].startsWith("r=")) {
      throw new MalformedSaslException("SCRAM: c=, r= and p= are expected");
    }
    byte[] header = decoded(parts[0].substring(2));
    byte[] proof = decoded(text.substring(proofAt + 3));
    byte[] authMessage =
        (first.bare() + ',' + challenge + ',' + text.substring(0, proofAt))
            .getBytes(StandardCharsets.UTF_8);
    // All of it, so that the time does not tell which part was wrong.
    boolean isNonce = parts[1].substring(2).equals(nonce);
    boolean isChannel = Arrays.equals(header, expectedHeader(binding));
    boolean isProof = keys.isProof(permit, proof, authMessage);
    if (!isNonce || !isChannel || !isProof) {
      mismatch = mismatch(isNonce, isChannel);
      return null;
    }
    String signature = Base64.getEncoder().encodeToString(keys.signature(authMessage));
    return ("v=" + signature).getBytes(StandardCharsets.US_ASCII);
  }

  private static Mismatch mismatch(boolean isNonce, boolean isChannel) {
    if (!isNonce) {
      return Mismatch.NONCE;
    }
    return isChannel ? Mismatch.PROOF : Mismatch.CHANNEL;
  }

  /** Returns the part that was wrong, for logs alone; null if {@link #finish} has found none. */
  public @Nullable Mismatch mismatch() {
    return mismatch;
  }

  private byte[] expectedHeader(byte[] binding) {
    byte[] header = first.header().getBytes(StandardCharsets.UTF_8);
    byte[] whole = Arrays.copyOf(header, header.length + binding.length);
    System.arraycopy(binding, 0, whole, header.length, binding.length);
    return whole;
  }

  private static byte[] decoded(String base64) throws MalformedSaslException {
    try {
      byte[] decoded = Base64.getDecoder().decode(base64);
      // One form of each value: without its padding, or with other bits in the last character, no.
      if (Base64.getEncoder().encodeToString(decoded).equals(base64)) {
        return decoded;
      }
    } catch (IllegalArgumentException _) {
      // The same as any other form.
    }
    throw new MalformedSaslException("SCRAM: base64 is expected");
  }
}
