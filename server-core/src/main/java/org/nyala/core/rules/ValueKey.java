package org.nyala.core.rules;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The bytes by which a value is the same as another one.
 *
 * <p>Immutable; ordered, so that values that a client chose to have one hash are found in
 * logarithmic time.
 */
final class ValueKey implements Comparable<ValueKey> {
  private final byte[] bytes;
  private final int hash;

  /** Keeps the array. */
  ValueKey(byte[] bytes) {
    this.bytes = bytes;
    hash = Arrays.hashCode(bytes);
  }

  @Override
  public int compareTo(ValueKey other) {
    return Arrays.compareUnsigned(bytes, other.bytes);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ValueKey that && hash == that.hash && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return hash;
  }
}
