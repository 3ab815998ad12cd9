package org.nyala.core.update;

import java.util.function.LongSupplier;

/**
 * A pacer that gives reads priority if both want the processors: the writer then runs for a share
 * of the time only, and each commit carries more. If processors are free, or reads are few, it
 * never rests.
 *
 * <p>A commit costs the machine several times the running time of its thread: the disk's
 * interrupts, the event loops that are woken for the answers, the data evicted from caches.
 * Bounding the thread bounds all of it.
 *
 * <p>Confined to the writer's thread.
 */
public final class ReadPriorityPacer implements CommitPacer {
  /** Ready but not running for this part of the time: others want the processors. */
  static final double CONTENDED = 0.2;

  /**
   * The number of reads for each update below which the writer never rests: changes are then the
   * main work.
   */
  static final double READS_PER_UPDATE = 3;

  /**
   * No commit counts more reads for each update than this. The reads of the hour before a first
   * change say nothing about the next ones.
   */
  private static final double MOST_READS_PER_UPDATE = 4 * READS_PER_UPDATE;

  /** One commit counts this much of the moving averages: a handful of commits decides. */
  private static final double WEIGHT = 0.2;

  private final double share;
  private final long longestRestNanos;
  private final LongSupplier operationsCompleted;
  private final LongSupplier nanoClock;
  private final ProcessorUse.Meter meter;
  private ProcessorUse lastUse;
  private long lastCompleted;
  private long turnStartNanos;
  private double ran;
  private double waited;
  private double reads;
  private double updates;

  /**
   * Creates a pacer; on the writer's thread.
   *
   * @param share the writer's share of one processor, above 0: 1 and more is all of it
   * @param longestRestNanos the maximum rest, and so the maximum delay of an update by it
   * @param operationsCompleted the number of operations that ended, updates included
   * @param nanoClock the clock, in nanoseconds
   * @param meter the meter of the writer thread's processor time
   */
  public ReadPriorityPacer(
      double share,
      long longestRestNanos,
      LongSupplier operationsCompleted,
      LongSupplier nanoClock,
      ProcessorUse.Meter meter) {
    if (!(share > 0)) {
      throw new IllegalArgumentException("a share of " + share);
    }
    this.share = share;
    this.longestRestNanos = longestRestNanos;
    this.operationsCompleted = operationsCompleted;
    this.nanoClock = nanoClock;
    this.meter = meter;
    this.lastUse = meter.read();
    this.lastCompleted = operationsCompleted.getAsLong();
    this.turnStartNanos = nanoClock.getAsLong();
  }

  @Override
  public long restNanos(int answered) {
    long now = nanoClock.getAsLong();
    long turnNanos = now - turnStartNanos;
    ProcessorUse use = meter.read();
    ProcessorUse turn = use.since(lastUse);
    lastUse = use;
    note(turn, answered);
    long rest = isCrowded() ? rest(turn, turnNanos) : 0;
    turnStartNanos = now + rest;
    return rest;
  }

  private void note(ProcessorUse turn, int answered) {
    long completed = operationsCompleted.getAsLong();
    ran += WEIGHT * (turn.ranNanos() - ran);
    waited += WEIGHT * (turn.waitedNanos() - waited);
    double read = Math.max(0, completed - lastCompleted - answered);
    reads += WEIGHT * (Math.min(read, MOST_READS_PER_UPDATE * answered) - reads);
    updates += WEIGHT * (answered - updates);
    lastCompleted = completed;
  }

  private boolean isCrowded() {
    return waited > CONTENDED * (ran + waited) && reads > READS_PER_UPDATE * updates;
  }

  private long rest(ProcessorUse turn, long turnNanos) {
    double wanted = turn.ranNanos() / share - turnNanos;
    return Math.max(0, (long) Math.min(wanted, (double) longestRestNanos));
  }
}
