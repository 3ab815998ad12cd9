package org.nyala.core.directory;

import org.jspecify.annotations.Nullable;

/**
 * The directory by the schema and on the terms in force. Operations keep the one that they began
 * with until they end.
 *
 * <p>Thread-safe.
 */
public final class ContextRef {
  private volatile @Nullable OperationContext directory;

  /** The directory that operations begin with now. */
  public OperationContext get() {
    OperationContext current = directory;
    if (current == null) {
      throw new IllegalStateException("no directory yet");
    }
    return current;
  }

  /** Sets another directory for new operations. */
  void set(OperationContext other) {
    directory = other;
  }
}
