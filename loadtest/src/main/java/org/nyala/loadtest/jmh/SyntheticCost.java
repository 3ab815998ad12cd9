package org.nyala.loadtest.jmh;

import org.nyala.core.session.OperationClass;

/** The cost of the operations of a synthetic load. */
enum SyntheticCost {
  /** Entries read by name from memory. */
  ONE_MICRO("1us", OperationClass.ENTRY_READ, 1_000, Rare.NONE, 0),
  /** Indexed searches. */
  TEN_MICROS("10us", OperationClass.SEARCH, 10_000, Rare.NONE, 0),
  /** Searches with some hundred candidates. */
  HUNDRED_MICROS("100us", OperationClass.SEARCH, 100_000, Rare.NONE, 0),
  /** Searches with some thousand candidates. */
  ONE_MILLI("1ms", OperationClass.SEARCH, 1_000_000, Rare.NONE, 0),
  /** Indexed searches, and scans among them. */
  MIXED("mixed", OperationClass.SEARCH, 5_000, Rare.COMPUTES, 1_000_000),
  /** Indexed searches, some of which wait for the disk. */
  DELAYED("delayed", OperationClass.SEARCH, 5_000, Rare.BLOCKS, 1_000_000),
  /** Indexed searches in data that is twice the memory: every second one waits for the disk. */
  HALF_COLD("half-cold", OperationClass.SEARCH, 5_000, Rare.BLOCKS, 1_000_000, 2),
  /** Indexed searches in data that is many times the memory: every one waits for the disk. */
  COLD("cold", OperationClass.SEARCH, 5_000, Rare.BLOCKS, 1_000_000, 1),
  /** Indexed searches, and binds with a slow hash among them. */
  HASH("hash", OperationClass.SEARCH, 5_000, Rare.HASHES, 4_000_000);

  /** The kind of the rare operations. */
  enum Rare {
    /** Like the others. */
    NONE,
    /** Computes for a long time, in slices. */
    COMPUTES,
    /** First blocks its thread and the thread's carrier. */
    BLOCKS,
    /** Computes for a long time in one go, in the lane of the hashes. */
    HASHES
  }

  private final String label;
  private final OperationClass operationClass;
  private final long nanos;
  private final Rare rare;
  private final long rareNanos;
  private final int oneIn;

  /** Makes one operation of a hundred a rare one, if there are any. */
  SyntheticCost(
      String label, OperationClass operationClass, long nanos, Rare rare, long rareNanos) {
    this(label, operationClass, nanos, rare, rareNanos, 100);
  }

  SyntheticCost(
      String label,
      OperationClass operationClass,
      long nanos,
      Rare rare,
      long rareNanos,
      int oneIn) {
    this.label = label;
    this.operationClass = operationClass;
    this.nanos = nanos;
    this.rare = rare;
    this.rareNanos = rareNanos;
    this.oneIn = oneIn;
  }

  /**
   * The cost of that name.
   *
   * @throws IllegalArgumentException if there is none
   */
  static SyntheticCost of(String label) {
    for (SyntheticCost cost : values()) {
      if (cost.label.equals(label)) {
        return cost;
      }
    }
    throw new IllegalArgumentException("no cost is called " + label);
  }

  /** The number of operations of which one is a rare one. */
  int oneIn() {
    return oneIn;
  }

  /** The class of operation of a request. */
  OperationClass operationClass(boolean isRare) {
    return isRare && rare == Rare.HASHES ? OperationClass.BIND : operationClass;
  }

  /** Computing in slices, in nanoseconds. */
  long computingNanos(boolean isRare) {
    return isRare && rare == Rare.COMPUTES ? rareNanos : nanos;
  }

  /** Blocking before anything else, in nanoseconds. */
  long blockingNanos(boolean isRare) {
    return isRare && rare == Rare.BLOCKS ? rareNanos : 0;
  }

  /** Hashing at the end, in nanoseconds. */
  long hashingNanos(boolean isRare) {
    return isRare && rare == Rare.HASHES ? rareNanos : 0;
  }
}
