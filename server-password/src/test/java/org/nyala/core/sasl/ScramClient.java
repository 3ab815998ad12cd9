package org.nyala.core.sasl;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.password.ScramKeys;

/** The client's side of SCRAM, by the JDK's own PBKDF2. */
final class ScramClient {
  private final String hmac;
  private final String digest;
  private final byte[] salted;
  private final String bare;
  private final String challenge;
  private String withoutProof = "";

  ScramClient(ScramKeys shown, String password, String first, byte[] challenge)
      throws GeneralSecurityException {
    boolean isShort = shown.scheme() == PasswordScheme.SCRAM_SHA256;
    this.hmac = isShort ? "HmacSHA256" : "HmacSHA512";
    this.digest = isShort ? "SHA-256" : "SHA-512";
    this.challenge = new String(challenge, UTF_8);
    this.bare = first.substring(first.indexOf(',', first.indexOf(',') + 1) + 1);
    this.salted =
        SecretKeyFactory.getInstance("PBKDF2With" + hmac)
            .generateSecret(
                new PBEKeySpec(
                    password.toCharArray(),
                    Base64.getDecoder().decode(shown.salt()),
                    shown.iterations(),
                    isShort ? 256 : 512))
            .getEncoded();
  }

  private byte[] hmac(byte[] key, String message) throws GeneralSecurityException {
    Mac mac = Mac.getInstance(hmac);
    mac.init(new SecretKeySpec(key, hmac));
    return mac.doFinal(message.getBytes(UTF_8));
  }

  /** Returns the last message with the header and the data of the channel. */
  byte[] last(byte[] header) throws GeneralSecurityException {
    String nonce = challenge.substring(2, challenge.indexOf(','));
    withoutProof = "c=" + Base64.getEncoder().encodeToString(header) + ",r=" + nonce;
    byte[] key = hmac(salted, "Client Key");
    byte[] signature = hmac(MessageDigest.getInstance(digest).digest(key), authMessage());
    byte[] proof = Arrays.copyOf(key, key.length);
    for (int i = 0; i < proof.length; i++) {
      proof[i] ^= signature[i];
    }
    return (withoutProof + ",p=" + Base64.getEncoder().encodeToString(proof)).getBytes(UTF_8);
  }

  private String authMessage() {
    return bare + ',' + challenge + ',' + withoutProof;
  }

  /** Returns the last message that the server has to send. */
  byte[] signature() throws GeneralSecurityException {
    byte[] signature = hmac(hmac(salted, "Server Key"), authMessage());
    return ("v=" + Base64.getEncoder().encodeToString(signature)).getBytes(UTF_8);
  }
}
