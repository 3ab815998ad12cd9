package org.nyala.loadtest.engine;

import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.nyala.loadtest.result.LoopStatistics;
import org.nyala.loadtest.workload.Arrivals;

/**
 * When the operations of one event loop should begin in an open loop, whatever became of the ones
 * before, and the clients that are free to begin one. What nobody is free for waits: its time
 * counts from when it should have begun. Only what has not begun by the end of the warm-up is left
 * out.
 *
 * <p>What is due is looked for ten thousand times a second where there are so many operations, and
 * by a timer of its own for each operation where there are fewer, as in a log. (At a fixed rate
 * they would all be late by what the first one is, up to the time between two.)
 *
 * <p>Confined to the channel's event loop.
 */
final class Schedule {
  /** Timers more often than this cost more than what they make more exact, in nanoseconds. */
  private static final long SHORTEST_TICK_NANOS = 100_000;

  private static final long LONGEST_TICK_NANOS = 50_000_000;

  /** How soon to look again while operations are due for which nobody is free. */
  private static final long BEHIND_TICK_NANOS = 1_000_000;

  /** How finely the waiting times of what was never begun are told apart. */
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
   * @param statistics what tells the end
   * @param stalls what hears of operations that began late though a client was free
   */
  Schedule(Arrivals arrivals, EventLoop eventLoop, LoopStatistics statistics, StallMeter stalls) {
    this.stalls = stalls;
    this.arrivals = arrivals;
    this.eventLoop = eventLoop;
    this.statistics = statistics;
  }

  /** Begins at a moment; the clients are told apart from this. */
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

  /** A client is free. */
  void offer(SimulatedClient conversation, long nowNanos) {
    boolean wasFree = !idle.isEmpty();
    if (conversation.waitForSchedule()) {
      idle.add(conversation);
    }
    startDue(nowNanos, wasFree);
  }

  /**
   * Begins what is due.
   *
   * @param wasFree whether clients have been free since before, so that what begins late is late by
   *     the tester
   */
  private void startDue(long nowNanos, boolean wasFree) {
    skipWarmUp(nowNanos);
    while (begun && !isExhausted() && due() - nowNanos <= 0) {
      SimulatedClient free = idle.poll();
      if (free == null) {
        return;
      }
      // A client that lost its connection, or was offered twice, is in the queue without a right.
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
   * Leaves out what should have begun in the warm-up and has not when that is over: it would make
   * late what is measured.
   */
  private void skipWarmUp(long nowNanos) {
    long measuredNanos = statistics.startNanos();
    if (begun && !isExhausted() && nowNanos - measuredNanos >= 0 && due() - measuredNanos < 0) {
      taken = arrivals.skip(taken, measuredNanos - startNanos);
    }
  }

  /** Whether every operation has begun that should begin before the end of the test. */
  boolean isExhausted() {
    return begun && (taken >= arrivals.count() || due() - statistics.endNanos() >= 0);
  }

  /** Counts what should have begun but never did; nothing begins after this. */
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
