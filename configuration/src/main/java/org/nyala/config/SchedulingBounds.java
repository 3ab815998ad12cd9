package org.nyala.config;

/** The bounds and defaults of the shares of processor time. */
public final class SchedulingBounds {
  /** The nice value with the least share of a processor. */
  public static final int GREATEST_NICENESS = 19;

  /**
   * A third of an event loop's weight if both want the same processor: a hash takes a hundred times
   * as long as a search in any case.
   */
  public static final int NICENESS_OF_HASHES = 5;

  /** The share of all processors at which writers never rest. */
  public static final int WHOLE_PERCENT = 100;

  /**
   * A small share, because a commit costs the machine several times the writer's own run time: the
   * results of November 2026 show what it leaves to searches.
   */
  public static final int WRITER_SHARE_PERCENT = 2;

  /** The longest wait of one change, so that its commit carries others as well. */
  public static final int WRITER_REST_MILLIS = 30;

  /** The longest wait that may be configured. */
  public static final int LONGEST_REST_MILLIS = 1000;

  private SchedulingBounds() {}
}
