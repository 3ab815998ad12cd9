package org.nyala.config;

/** The bounds of the shares of processor time. */
public final class SchedulingBounds {
  /** The nice value with the least share of a processor. */
  public static final int GREATEST_NICENESS = 19;

  /** The share of all processors at which writers never rest. */
  public static final int WHOLE_PERCENT = 100;

  private SchedulingBounds() {}
}
