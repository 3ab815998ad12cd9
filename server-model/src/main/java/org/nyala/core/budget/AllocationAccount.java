package org.nyala.core.budget;

/**
 * The heap memory that one operation has allocated, garbage included, as far as it is worth a note.
 * It is open from the first such slice to the end of the operation.
 *
 * <p>Thread-safe; the operation alone adds to it. Garbage that comes in a stream, some in each
 * slice, is not counted as excess: a slice looks at the clock, and can allocate no more than its
 * time allows. What allocates more in one slice does not look at the clock, and may keep it.
 */
public final class AllocationAccount {
  /** The bytes of one slice from which it is worth a note. */
  public static final long NOTED_BYTES = 64 * 1024;

  /** The bytes that a slice which looks at the clock may need in a millisecond, and a step more. */
  public static final long SLICE_BYTES = 16 << 20;

  private final MemoryBudget budget;
  private final Runnable ending;
  private volatile long total;
  private volatile long excess;
  private volatile boolean isEnding;

  AllocationAccount(MemoryBudget budget, Runnable ending) {
    this.budget = budget;
    this.ending = ending;
  }

  /**
   * Adds what a slice has allocated.
   *
   * @return false if the operation has allocated more in excess than one may
   */
  public boolean add(long bytes) {
    long more = total + bytes;
    long beyond = excess + Math.max(0, bytes - SLICE_BYTES);
    total = more;
    excess = beyond;
    return beyond <= budget.bounds().operationBytes();
  }

  public long total() {
    return total;
  }

  /** Returns the bytes beyond what each slice may allocate. */
  public long excess() {
    return excess;
  }

  /** Returns whether the operation was asked to end. */
  public boolean isEnding() {
    return isEnding;
  }

  /** Asks the operation to end. Any thread. */
  public void endOperation() {
    isEnding = true;
    ending.run();
  }

  /** Closes the account: the operation has ended. Idempotent. */
  public void close() {
    budget.close(this);
  }
}
