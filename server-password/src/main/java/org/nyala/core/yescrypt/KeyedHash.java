package org.nyala.core.yescrypt;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * HMAC-SHA-256 with one key (RFC 2104), and the derivation of longer keys from it (RFC 8018,
 * section 5.2) with one iteration.
 *
 * <p>Confined to one thread.
 */
final class KeyedHash {
  private static final String NAME = "HmacSHA256";
  private static final int HASHES_BETWEEN_LOOKS = 4096;

  private final Mac mac;

  /** Hashes with a key of any length. */
  KeyedHash(byte[] key) {
    try {
      mac = Mac.getInstance(NAME);
      // A key is filled up with zeros: this is the same as the empty one, which Java does not take.
      mac.init(new SecretKeySpec(key.length == 0 ? new byte[1] : key, NAME));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  byte[] of(byte[] message) {
    return mac.doFinal(message);
  }

  /**
   * Returns a derived key of some bytes.
   *
   * @throws CancellationException if the result is no longer wanted
   */
  byte[] derive(byte[] salt, int length, BooleanSupplier isUnwanted) {
    ByteBuffer derived = ByteBuffer.allocate(length);
    ByteBuffer counter = ByteBuffer.allocate(Integer.BYTES);
    for (int number = 1; derived.hasRemaining(); number++) {
      if (number % HASHES_BETWEEN_LOOKS == 1 && isUnwanted.getAsBoolean()) {
        throw new CancellationException();
      }
      mac.update(salt);
      byte[] part = mac.doFinal(counter.putInt(0, number).array());
      derived.put(part, 0, Math.min(part.length, derived.remaining()));
    }
    return derived.array();
  }
}
