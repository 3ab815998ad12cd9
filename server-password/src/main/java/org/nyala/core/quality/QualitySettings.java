package org.nyala.core.quality;

import org.jspecify.annotations.Nullable;

/**
 * The checks that new passwords have to pass, apart from their length.
 *
 * <p>Immutable.
 *
 * @param minimumBits the binary logarithm of the guesses that a password has to take by estimate; 0
 *     for no estimate
 * @param refusesOwnAttributes true if a password must have nothing in common with the attributes of
 *     its account
 * @param breached the list of passwords that are refused; null for none
 */
public record QualitySettings(
    int minimumBits, boolean refusesOwnAttributes, @Nullable BreachedPasswords breached) {
  /** No checks. */
  public static final QualitySettings NONE = new QualitySettings(0, false, null);

  /** Checks the number. */
  public QualitySettings {
    if (minimumBits < 0) {
      throw new IllegalArgumentException("bits: " + minimumBits);
    }
  }
}
