package org.nyala.core.backend;

import org.jspecify.annotations.Nullable;

/**
 * A store cannot take a change now, through no fault of the change: it is full, its disk is full or
 * broken, or it is read-only. What was not committed is undone. The message is for clients.
 */
public final class StoreUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean isWorthAnother;

  /** Says what is the matter, and what it comes from. */
  public StoreUnavailableException(String message, @Nullable Throwable cause) {
    this(message, cause, false);
  }

  /**
   * Says what is the matter, and what it comes from.
   *
   * @param isWorthAnother whether the same change may find more room in the next transaction; true
   *     for a bounded number of transactions only
   */
  public StoreUnavailableException(
      String message, @Nullable Throwable cause, boolean isWorthAnother) {
    super(message, cause);
    this.isWorthAnother = isWorthAnother;
  }

  /** Whether the same change is to be tried in another transaction, which has more room. */
  public boolean isWorthAnother() {
    return isWorthAnother;
  }
}
