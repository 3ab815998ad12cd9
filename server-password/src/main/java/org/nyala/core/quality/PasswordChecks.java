package org.nyala.core.quality;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The checks of new passwords in clear text. The first estimate takes longer than others, because
 * it reads dictionaries, and then keeps some 16 MiB.
 *
 * <p>Thread-safe.
 */
public final class PasswordChecks {
  /** The checks that find lengths only. */
  public static final PasswordChecks NONE = new PasswordChecks(QualitySettings.NONE);

  private final QualitySettings settings;
  private final GuessEstimate estimate = new GuessEstimate();

  /** Creates the checks; reads nothing yet. */
  public PasswordChecks(QualitySettings settings) {
    this.settings = settings;
  }

  /**
   * Returns the first flaw of a password; null if it has none.
   *
   * @param minLength the characters that it needs, counted in the normal form NFC; 0 for no bound.
   *     Octets are counted if the password is not UTF-8.
   * @param maxLength the characters that it may have, likewise
   * @param own the values of the account's attributes that are not to be in it, such as names
   */
  public @Nullable PasswordFlaw find(
      byte[] password, int minLength, int maxLength, List<String> own) {
    PasswordFlaw flaw = findLength(password, minLength, maxLength);
    return flaw == null ? findWeakness(password, own) : flaw;
  }

  /** Returns the flaw that the length of a password is, likewise; null if it is none. */
  public static @Nullable PasswordFlaw findLength(byte[] password, int minLength, int maxLength) {
    int length = PasswordText.of(password).length();
    if (length < minLength) {
      return PasswordFlaw.tooShort(minLength);
    }
    return maxLength > 0 && length > maxLength ? PasswordFlaw.tooLong(maxLength) : null;
  }

  /** Returns the first flaw of a password of any length; null if it has none. */
  public @Nullable PasswordFlaw findWeakness(byte[] password, List<String> own) {
    return findWeakness(password, PasswordText.of(password), own);
  }

  /** Makes the cheap checks before the estimate. */
  private @Nullable PasswordFlaw findWeakness(
      byte[] password, PasswordText text, List<String> own) {
    if (settings.refusesOwnAttributes() && OwnWords.areIn(text.text(), own)) {
      return PasswordFlaw.OWN_ATTRIBUTE;
    }
    BreachedPasswords breached = settings.breached();
    if (breached != null && text.encodings(password).stream().anyMatch(breached::contains)) {
      return PasswordFlaw.BREACHED;
    }
    int minimum = settings.minimumBits();
    if (minimum > 0 && estimate.bits(text.text()) < minimum) {
      return PasswordFlaw.EASY_TO_GUESS;
    }
    return null;
  }
}
