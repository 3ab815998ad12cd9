package org.nyala.core.bytes;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Message digests that every Java platform has. Stateless. */
public final class ByteDigest {
  private ByteDigest() {}

  /** Returns a new digest, for example by {@code SHA-256}. */
  public static MessageDigest of(String algorithm) {
    try {
      return MessageDigest.getInstance(algorithm);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has " + algorithm, e);
    }
  }
}
