package org.nyala.core.password;

/**
 * The permission to compare a password with a stored one, which only a gate gives: it knows account
 * and source, counts wrong ones against both and has them logged. Without one, nothing compares; a
 * test of the architecture names the gates, which alone extend it.
 */
public abstract class VerificationPermit {
  /** Creates a permission that is not given yet. */
  protected VerificationPermit() {}

  /**
   * Requires that the gate has admitted the attempt.
   *
   * @throws IllegalStateException if it has not
   */
  protected abstract void requireAdmitted();
}
