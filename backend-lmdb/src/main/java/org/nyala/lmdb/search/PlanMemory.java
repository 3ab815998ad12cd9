package org.nyala.lmdb.search;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory that the plans of a store's searches take together: the one place through which it is
 * taken and given back.
 *
 * <p>Thread-safe.
 */
public final class PlanMemory {
  /**
   * The divisor for the share that one plan may take, so that one client leaves room for others.
   */
  static final int SHARE_OF_ONE = 4;

  private final long maximumBytes;
  private final PlanLimits limits;
  private final AtomicLong takenBytes = new AtomicLong();

  public PlanMemory(long maximumBytes, PlanLimits limits) {
    this.maximumBytes = maximumBytes;
    this.limits = limits;
  }

  /** Returns the bounds on one search. */
  public PlanLimits limits() {
    return limits;
  }

  /**
   * Takes memory, unless that is too much for one plan or for all.
   *
   * @param held the memory that the plan has taken before
   */
  boolean take(long bytes, long held) {
    if (held + bytes > maximumBytes / SHARE_OF_ONE) {
      return false;
    }
    if (takenBytes.addAndGet(bytes) > maximumBytes) {
      give(bytes);
      return false;
    }
    return true;
  }

  /** Takes memory without which a search would not progress. */
  void takeAnyway(long bytes) {
    takenBytes.addAndGet(bytes);
  }

  void give(long bytes) {
    takenBytes.addAndGet(-bytes);
  }

  /** Returns the memory that all plans may take, in bytes. */
  long maximumBytes() {
    return maximumBytes;
  }

  long takenBytes() {
    return takenBytes.get();
  }
}
