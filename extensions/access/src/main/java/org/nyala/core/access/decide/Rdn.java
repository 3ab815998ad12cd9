package org.nyala.core.access.decide;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A normalised RDN, or the start of some ({@code uid=}), as a key.
 *
 * <p>Immutable, but for the array, which is never written to after construction.
 */
final class Rdn {
  private final byte[] bytes;
  private final int hash;

  Rdn(byte[] bytes) {
    this.bytes = bytes;
    this.hash = hash(bytes, bytes.length);
  }

  /** Borrowed, never to be written to. */
  byte[] bytes() {
    return bytes;
  }

  /** Returns the RDN of this start and a value. */
  Rdn with(byte[] value) {
    byte[] joined = Arrays.copyOf(bytes, bytes.length + value.length);
    System.arraycopy(value, 0, joined, bytes.length, value.length);
    return new Rdn(joined);
  }

  boolean isSame(byte[] other, int length) {
    return Arrays.equals(bytes, 0, bytes.length, other, 0, length);
  }

  /** Returns whether an RDN begins so and has one value. */
  boolean isStartOf(byte[] other, int length) {
    if (length < bytes.length || !Arrays.equals(bytes, 0, bytes.length, other, 0, bytes.length)) {
      return false;
    }
    for (int i = bytes.length; i < length; i++) {
      if (other[i] == '+') {
        return false;
      }
    }
    return true;
  }

  static int hash(byte[] bytes, int length) {
    int code = 1;
    for (int i = 0; i < length; i++) {
      code = 31 * code + bytes[i];
    }
    return code;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Rdn that && hash == that.hash && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
