package org.nyala.lmdb.env;

import org.jspecify.annotations.Nullable;

/**
 * The faults of an open store that last: those after which nothing can be read or changed until the
 * data file is opened again, and those after which nothing may be changed.
 *
 * <p>Thread-safe: any thread notes a fault, and the thread with the right to write mends it.
 */
public final class StoreHealth {
  private volatile @Nullable String broken;
  private volatile @Nullable String lost;
  private volatile @Nullable String damage;
  private volatile @Nullable String displaced;

  StoreHealth() {}

  /** Returns whether the store can be read. */
  public boolean isUsable() {
    return broken == null && lost == null;
  }

  /** Returns whether LMDB refuses everything until the data file is opened again. */
  public boolean isBroken() {
    return broken != null;
  }

  /** Returns whether the store can be read and changed. */
  public boolean isWritable() {
    return isUsable() && displaced == null;
  }

  /** Returns the fault because of which nothing can be read; null if there is none. */
  public @Nullable String fault() {
    String end = lost;
    return end == null ? broken : end;
  }

  /** Returns the fault that only a new process mends; null if there is none. */
  public @Nullable String lost() {
    return lost;
  }

  /** Returns the damage that a read or a change has found; null if there is none. */
  public @Nullable String damage() {
    return damage;
  }

  /** Returns why changes would go to a file that nobody finds; null if they do not. */
  public @Nullable String displaced() {
    return displaced;
  }

  /** Returns the reason for which changes are refused, for clients; null if they are not. */
  @Nullable String refusal() {
    if (!isUsable()) {
      return "the store cannot be used after an error of the disk";
    }
    return displaced == null ? null : "the data directory was moved or deleted";
  }

  /** Notes that LMDB refuses everything from now on. */
  void broken(String reason) {
    broken = reason;
  }

  /** Notes that the data file was opened again, and is as it was. */
  void mended() {
    broken = null;
  }

  /** Notes a fault that only a new process mends. */
  public void lost(String reason) {
    lost = reason;
  }

  /** Notes damaged data. */
  void damaged(String reason) {
    damage = reason;
  }

  /** Notes whether the open file is the one in the data directory. */
  void displaced(@Nullable String reason) {
    displaced = reason;
  }
}
