package org.nyala.loadtest.agent;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import javax.crypto.KDF;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.HKDFParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** The secret that agents and coordinators share. Immutable. */
final class Secret {
  private static final int LEAST_BYTES = 16;
  private static final int MOST_BYTES = 4096;
  private static final String MAC = "HmacSHA256";

  private final byte[] bytes;

  Secret(byte[] bytes) {
    this.bytes = bytes.clone();
  }

  /**
   * Reads a file; white space around its text does not count.
   *
   * @throws IllegalArgumentException if the secret has fewer than 16 bytes, or more than 4096
   */
  static Secret read(Path file) throws IOException {
    if (Files.isRegularFile(file) && Files.size(file) > MOST_BYTES) {
      throw new IllegalArgumentException(
          "--secret-file must be a file of at most " + MOST_BYTES + " bytes, not " + file);
    }
    byte[] secret =
        new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)
            .strip()
            .getBytes(StandardCharsets.ISO_8859_1);
    if (secret.length < LEAST_BYTES) {
      throw new IllegalArgumentException(
          "--secret-file must be a file with a secret of at least "
              + LEAST_BYTES
              + " bytes, such as openssl rand -hex 32 writes; "
              + file
              + " has "
              + secret.length);
    }
    return new Secret(secret);
  }

  /** Returns the proof of one side, labelled so that it proves nothing for the other one. */
  byte[] proof(String side, byte[] nonces) {
    try {
      Mac mac = Mac.getInstance(MAC);
      mac.init(key(nonces, side + " proof"));
      return mac.doFinal(nonces);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java runtime lacks HMAC-SHA-256", e);
    }
  }

  /** Returns the key of frames from one side (AES-256), another one in each session. */
  SecretKey frameKey(String side, byte[] nonces) {
    return new SecretKeySpec(key(nonces, side + " frames").getEncoded(), "AES");
  }

  /** Derives a key by HKDF (RFC 5869) with both nonces as salt. */
  private SecretKey key(byte[] nonces, String use) {
    try {
      return KDF.getInstance("HKDF-SHA256")
          .deriveKey(
              MAC,
              HKDFParameterSpec.ofExtract()
                  .addIKM(bytes)
                  .addSalt(nonces)
                  .thenExpand(("nyala-loadtest " + use).getBytes(StandardCharsets.US_ASCII), 32));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java runtime lacks HKDF", e);
    }
  }
}
