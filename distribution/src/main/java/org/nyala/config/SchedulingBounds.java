package org.nyala.config;

/** Bounds and defaults of what threads have of the processors. */
public final class SchedulingBounds {
  /** The nice value of a thread that has the least of a processor. */
  public static final int GREATEST_NICENESS = 19;

  /**
   * Weighs a third of an event loop where both want the same processor: a hash takes a hundred
   * times as long as a search in any case.
   */
  public static final int NICENESS_OF_HASHES = 5;

  /** The share of all processors at which writers never rest. */
  public static final int WHOLE_PERCENT = 100;

  /**
   * Little, for what a commit costs the machine is several times what the writer runs for: the
   * results of November 2026 say what it leaves to searches.
   */
  public static final int WRITER_SHARE_PERCENT = 2;

  /** The time that one change waits for at most, so that its commit carries others as well. */
  public static final int WRITER_REST_MILLIS = 30;

  /** The longest time that may be configured for that. */
  public static final int LONGEST_REST_MILLIS = 1000;

  private SchedulingBounds() {}
}
