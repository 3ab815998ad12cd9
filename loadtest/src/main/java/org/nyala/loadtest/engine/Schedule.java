package org.nyala.loadtest.engine;

import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.nyala.loadtest.result.LoopStatistics;
import org.nyala.loadtest.result.StallMeter;
import org.nyala.loadtest.workload.Arrivals;

/**
 * The times at which the operations of one event loop should begin in an open loop, independent of
 * earlier operations, and the queue of clients that are free to begin one. An operation for which
 * no client is free waits: its time counts from its intended start. Only operations that have not
 * begun by the end of the warm-up are left out.
 *
 * <p>Due operations are looked for ten thousand times a second if there are that many operations,
 * and by a timer of its own for each operation if there are fewer, as in a log. (At a fixed rate
 * they would all be late by as much as the first one, up to the time between two.)
 *
 * <p>Confined to the channel's event loop.
 */
final class Schedule {
  /**
   * The shortest period of timers, in nanoseconds; shorter ones cost more than the precision they
   * add.
   */
  private static final long SHORTEST_TICK_NANOS = 100_000;

  private static final long LONGEST_TICK_NANOS = 50_000_000;

  /** The time to the next look while operations are due for which no client is free. */
  private static final long BEHIND_TICK_NANOS = 1_000_000;

  /** The resolution of the waiting times of operations that were never begun. */
  private static final long MAX_STEPS = 100_000;

  private final Arrivals arrivals;
  private final EventLoop eventLoop;
  private final LoopStatistics statistics;
  private final StallMeter stalls;
  private final Queue<SimulatedClient> idle = new ArrayDeque<>();
  private long startNanos;
  private long taken;
  private boolean begun;

  /**
   * Makes a schedule that has not begun.
   *
   * @param arrivals the moments
   * @param eventLoop the loop whose clients follow it
   * @param statistics provides the end of the test
   * @param stalls is notified of operations that began late though a client was free
   */
  Schedule(Arrivals arrivals, EventLoop eventLoop, LoopStatistics statistics, StallMeter stalls) {
    this.stalls = stalls;
    this.arrivals = arrivals;
    this.eventLoop = eventLoop;
    this.statistics = statistics;
  }

  /** Begins at a moment; the clients are started separately. */
  void begin(long atNanos) {
    startNanos = atNanos;
    begun = true;
    if (isExhausted()) {
      return;
    }
    if (arrivals.isDense(SHORTEST_TICK_NANOS)) {
      Future<?> _ =
          eventLoop.scheduleAtFixedRate(this::tick, 0, SHORTEST_TICK_NANOS, TimeUnit.NANOSECONDS);
    } else {
      tickWhenDue();
    }
  }

  private void tickWhenDue() {
    tick();
    Future<?> _ = eventLoop.schedule(this::tickWhenDue, untilNextTickNanos(), TimeUnit.NANOSECONDS);
  }

  private long untilNextTickNanos() {
    if (isExhausted()) {
      return LONGEST_TICK_NANOS;
    }
    long untilDue = due() - System.nanoTime();
    return untilDue <= 0
        ? BEHIND_TICK_NANOS
        : Math.clamp(untilDue, SHORTEST_TICK_NANOS, LONGEST_TICK_NANOS);
  }

  private long due() {
    return startNanos + arrivals.nanos(taken);
  }

  private void tick() {
    long now = System.nanoTime();
    startDue(now, true);
    if (isExhausted()) {
      for (SimulatedClient free = idle.poll(); free != null; free = idle.poll()) {
        if (free.isIdle()) {
          free.finish();
        }
      }
    }
  }

  /** Notes that a client is free. */
  void offer(SimulatedClient conversation, long nowNanos) {
    boolean wasFree = !idle.isEmpty();
    if (conversation.waitForSchedule()) {
      idle.add(conversation);
    }
    startDue(nowNanos, wasFree);
  }

  /**
   * Begins the operations that are due.
   *
   * @param wasFree true if clients have been free since before, so that a late start is the
   *     tester's fault
   */
  private void startDue(long nowNanos, boolean wasFree) {
    skipWarmUp(nowNanos);
    while (begun && !isExhausted() && due() - nowNanos <= 0) {
      SimulatedClient free = idle.poll();
      if (free == null) {
        return;
      }
      // A client that lost its connection, or was offered twice, may still be in the queue.
      if (free.isIdle()) {
        long intended = due();
        long now = System.nanoTime();
        taken++;
        if (wasFree) {
          stalls.lagged(now - intended);
        }
        free.start(intended, now);
      }
    }
  }

  /**
   * Leaves out operations that should have begun in the warm-up but have not when it is over: they
   * would delay the measured ones.
   */
  private void skipWarmUp(long nowNanos) {
    long measuredNanos = statistics.startNanos();
    if (begun && !isExhausted() && nowNanos - measuredNanos >= 0 && due() - measuredNanos < 0) {
      taken = arrivals.skip(taken, measuredNanos - startNanos);
    }
  }

  /** Returns whether every operation has begun that should begin before the end of the test. */
  boolean isExhausted() {
    return begun && (taken >= arrivals.count() || due() - statistics.endNanos() >= 0);
  }

  /** Counts operations that should have begun but never did; nothing begins after this. */
  void giveUp(long nowNanos) {
    skipWarmUp(nowNanos);
    long left = 0;
    long limit = Math.min(nowNanos, statistics.endNanos());
    while (taken + left < arrivals.count() && startNanos + arrivals.nanos(taken + left) < limit) {
      left++;
    }
    long step = 1 + left / MAX_STEPS;
    while (left > 0) {
      long count = Math.min(step, left);
      statistics.notStarted(due(), nowNanos, count);
      taken += count;
      left -= count;
    }
    idle.clear();
  }
}
