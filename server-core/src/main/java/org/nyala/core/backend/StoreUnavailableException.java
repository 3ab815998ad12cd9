package org.nyala.core.backend;

import org.jspecify.annotations.Nullable;

/**
 * A store cannot take a change now, through no fault of the change: it is full, its disk is full or
 * broken, or it is read-only. What was not committed is undone. The message is for clients.
 */
public final class StoreUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Says what is the matter, and what it comes from. */
  public StoreUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
