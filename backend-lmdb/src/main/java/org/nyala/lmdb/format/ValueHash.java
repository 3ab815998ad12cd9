package org.nyala.lmdb.format;

import java.security.MessageDigest;
import org.nyala.core.bytes.ByteDigest;

/**
 * The 128-bit hash that replaces, in a key, the tail of a value too long for LMDB: the first half
 * of SHA-256, so that two values cannot be made to share a key on purpose.
 */
final class ValueHash {
  /** Length in bytes. */
  static final int LENGTH = 16;

  private ValueHash() {}

  /** Hashes a range; the first {@link #LENGTH} bytes of the result are used. */
  static byte[] of(byte[] source, int offset, int length) {
    MessageDigest digest = ByteDigest.of("SHA-256");
    digest.update(source, offset, length);
    return digest.digest();
  }
}
