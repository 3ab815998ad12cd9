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
  private final boolean isOfTransaction;
  private final boolean isTooLarge;

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
    this(message, cause, isWorthAnother, false, false);
  }

  private StoreUnavailableException(
      String message,
      @Nullable Throwable cause,
      boolean isWorthAnother,
      boolean isOfTransaction,
      boolean isTooLarge) {
    super(message, cause);
    this.isWorthAnother = isWorthAnother;
    this.isOfTransaction = isOfTransaction;
    this.isTooLarge = isTooLarge;
  }

  /**
   * Creates an exception that fails a transaction as a whole, for a reason that is in none of its
   * changes; possibly after it was passed on, so that its changes may be made all the same.
   */
  public static StoreUnavailableException ofTransaction(String message) {
    return new StoreUnavailableException(message, null, false, true, false);
  }

  /** Creates an exception for a transaction that is too large for the store, whenever it comes. */
  public static StoreUnavailableException tooLarge(String message) {
    return new StoreUnavailableException(message, null, false, false, true);
  }

  /** Returns whether to try the same change in another transaction, which has more room. */
  public boolean isWorthAnother() {
    return isWorthAnother;
  }

  /** Returns whether the changes are too large together, so that waiting is of no use. */
  public boolean isTooLarge() {
    return isTooLarge;
  }

  /** Returns whether none of the transaction's changes is to be tried again by itself. */
  public boolean isOfTransaction() {
    return isOfTransaction;
  }
}
