package org.nyala.core.backend;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if a store cannot take a change now, through no fault of the change: it is full, its disk
 * is full or broken, or it is read-only. Uncommitted changes are undone. The message is for
 * clients.
 */
public final class StoreUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean isWorthAnother;

  public StoreUnavailableException(String message, @Nullable Throwable cause) {
    this(message, cause, false);
  }

  /**
   * Creates an exception with a message and a cause.
   *
   * @param isWorthAnother true if the same change may find more room in the next transaction; true
   *     for a bounded number of transactions only
   */
  public StoreUnavailableException(
      String message, @Nullable Throwable cause, boolean isWorthAnother) {
    super(message, cause);
    this.isWorthAnother = isWorthAnother;
  }

  /** Returns whether to try the same change in another transaction, which has more room. */
  public boolean isWorthAnother() {
    return isWorthAnother;
  }
}
