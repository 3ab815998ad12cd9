package org.nyala.core.directory;

import org.jspecify.annotations.Nullable;

/**
 * The directory by the schema and on the terms in force. Operations keep the one that they began
 * with until they end.
 *
 * <p>Thread-safe.
 */
public final class CurrentDirectory {
  private volatile @Nullable Directory directory;

  /** The directory that operations begin with now. */
  public Directory get() {
    Directory current = directory;
    if (current == null) {
      throw new IllegalStateException("no directory yet");
    }
    return current;
  }

  /** Lets operations begin with another directory. */
  void set(Directory other) {
    directory = other;
  }
}
