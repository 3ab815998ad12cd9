package org.nyala.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.contention.Contention;
import org.nyala.core.dispatch.Task.Outcome;

/** Tests connections whose operations wait for the disk, beside others whose do not. */
class AdaptiveDispatchDiskTest extends AdaptiveDispatchTestCase {
  private static final long SLOW_DISK = 20_000_000;
  private static final long FAST_DISK = 300_000;
  private static final long IN_MEMORY = 10_000;

  /** Operations of which one is measured but for once in 10^11 times. */
  private static final int ENOUGH = 200;

  private final Set<Thread> diskThreads = ConcurrentHashMap.newKeySet();
  private final AdaptiveDispatch dispatch = new AdaptiveDispatch(settings(), 2, usage);
  private final ConnectionLoopHistory cold = old();
  private final ConnectionLoopHistory warm = old();

  private DispatchSettings settings() {
    ThreadFactory threads = Thread.ofPlatform().daemon().factory();
    ThreadFactory diskWaiters =
        task -> {
          Thread thread = threads.newThread(task);
          diskThreads.add(thread);
          return thread;
        };
    return new DispatchSettings(
        2, 0, 0, 1, 1, 4, 50, threads, diskWaiters, threads, this::now, Contention.UNMEASURED);
  }

  @AfterEach
  void closeDispatch() {
    dispatch.close();
  }

  /** Runs a task that touches a page on the disk; returns whether it was on the event loop. */
  private boolean waits(ConnectionLoopHistory history, long nanos) {
    ScriptedTask task =
        new ScriptedTask(
            1,
            Runnable::run,
            _ -> {
              waitForDisk(nanos);
              return Outcome.DONE;
            });
    task.history = history;
    return isOnLoop(task);
  }

  /** Runs a task that needs pages in memory; returns whether it was on the event loop. */
  private boolean doesNotWait(ConnectionLoopHistory history) {
    return isOnLoop(with(history, IN_MEMORY));
  }

  private boolean isOnLoop(ScriptedTask task) {
    dispatch.dispatch(task);
    eventually("it has ended", () -> task.done.getCount() == 0 && dispatch.inFlight() == 0);
    boolean isOnLoop = task.lastThread == Thread.currentThread();
    assertThat(isOnLoop || diskThreads.contains(task.lastThread)).isTrue();
    return isOnLoop;
  }

  /** Runs tasks that wait until their connection is away; returns how many there were. */
  private int sendAway(ConnectionLoopHistory history, long nanos) {
    int count = 0;
    while (!history.diskWaits().isAway() && count < ENOUGH) {
      assertThat(waits(history, nanos)).isTrue();
      count++;
    }
    return count;
  }

  @Test
  void shouldKeepAConnectionOffTheLoopsOnceItWaitsForASlowDisk() {
    assertThat(sendAway(cold, SLOW_DISK)).isLessThan(ENOUGH);
    assertThat(waits(cold, SLOW_DISK)).isFalse();
    assertThat(doesNotWait(cold)).isFalse();
  }

  @Test
  void shouldKeepAConnectionOffTheLoopsAfterSomeWaitsForAFastDisk() {
    assertThat(sendAway(cold, FAST_DISK)).isBetween(4, ENOUGH - 1);
    assertThat(waits(cold, FAST_DISK)).isFalse();
  }

  /** A client may always wait at the same place of what it repeats. */
  @Test
  void shouldNoticeWaitsInEveryRhythm() {
    for (int period = 2; period <= 16; period++) {
      ConnectionLoopHistory history = old();
      int onLoop = 0;
      for (int i = 0; i < ENOUGH * period && !history.diskWaits().isAway(); i++) {
        boolean waits = i % period != 0 && (period < 9 || i % period == 1);
        onLoop += (waits ? waits(history, SLOW_DISK) : doesNotWait(history)) ? 1 : 0;
      }
      assertThat(history.diskWaits().isAway()).as("period %d, %d", period, onLoop).isTrue();
    }
  }

  @Test
  void shouldNotChargeAConnectionForTheWaitsOfAnother() {
    for (int i = 0; i < 1_000; i++) {
      // Too short to be noticed, or not measured.
      waits(cold, DiskWatch.LONG_NANOS - 1);
      assertThat(isOnLoop(with(warm, FAST_DISK))).isTrue();
    }
  }

  @Test
  void shouldNotChargeTheTimeThatASliceComputesOffTheLoop() {
    for (int i = 0; i < 100; i++) {
      ScriptedTask task =
          new ScriptedTask(
              1,
              Runnable::run,
              self -> {
                if (self.slices.get() == 1) {
                  return Outcome.YIELDED;
                }
                waitForDisk(40_000);
                clock.addAndGet(900_000);
                computedNanos.addAndGet(900_000);
                return Outcome.DONE;
              });
      task.history = warm;
      dispatch.dispatch(task);
      eventually("it has ended", () -> task.done.getCount() == 0 && dispatch.inFlight() == 0);
      assertThat(doesNotWait(warm)).isTrue();
    }
  }

  @Test
  void shouldLeaveOtherConnectionsThere() {
    for (int i = 0; i < 1_000; i++) {
      waits(cold, SLOW_DISK);
      assertThat(doesNotWait(warm)).isTrue();
    }
    assertThat(dispatch.demotions()).allMatch(count -> count == 0);
  }

  @Test
  void shouldTakeAConnectionBackOnceItsOperationsNoLongerWait() {
    sendAway(cold, SLOW_DISK);
    for (int i = 0; i < 4; i++) {
      waits(cold, SLOW_DISK);
    }
    int operations = DiskWaits.MOST_MICROS / DiskWaits.CHANGE_MICROS;
    assertThat(IntStream.range(0, operations)).noneMatch(_ -> doesNotWait(cold));
    assertThat(doesNotWait(cold)).isTrue();
  }

  @Test
  void shouldTolerateWaitsThatCostLessThanAChangeOfThreads() {
    for (int i = 0; i < 1_000; i++) {
      assertThat(i % 7 == 0 ? waits(cold, FAST_DISK) : doesNotWait(cold)).isTrue();
    }
  }

  @Test
  void shouldNotTakeALostProcessorForAWait() {
    assertThat(IntStream.range(0, 5)).allMatch(_ -> isOnLoop(with(cold, SLOW_DISK)));
  }

  @Test
  void shouldJudgeNewConnectionsByEachOther() {
    assertThat(waits(new ConnectionLoopHistory(), SLOW_DISK)).isTrue();
    for (int i = 0; i < 100; i++) {
      assertThat(waits(new ConnectionLoopHistory(), SLOW_DISK)).isFalse();
    }
    assertThat(doesNotWait(warm)).isTrue();
    ConnectionLoopHistory becomesOld = new ConnectionLoopHistory();
    for (int i = 0; i < ConnectionLoopHistory.YOUTH; i++) {
      assertThat(doesNotWait(becomesOld)).isFalse();
    }
    assertThat(doesNotWait(becomesOld)).isTrue();
  }

  @Test
  void shouldTakeNewConnectionsBackOnceTheyNoLongerWait() {
    for (int i = 0; i < 4; i++) {
      waits(new ConnectionLoopHistory(), SLOW_DISK);
    }
    int operations = DiskWaits.MOST_MICROS_OF_YOUNG / DiskWaits.CHANGE_MICROS;
    assertThat(IntStream.range(0, operations))
        .noneMatch(_ -> doesNotWait(new ConnectionLoopHistory()));
    assertThat(doesNotWait(new ConnectionLoopHistory())).isTrue();
  }

  @Test
  void shouldMoveAScanThatWaitsFromAStripeToThePool() {
    CountDownLatch end = new CountDownLatch(1);
    ScriptedTask scan =
        new ScriptedTask(
            1,
            Runnable::run,
            self -> {
              if (self.slices.get() > 1) {
                waitForDisk(SLOW_DISK);
              }
              Thread.onSpinWait();
              return end.getCount() > 0 || self.slices.get() == 1 ? Outcome.YIELDED : Outcome.DONE;
            });
    scan.history = cold;
    dispatch.dispatch(scan);
    eventually("it is in the pool", () -> diskThreads.contains(scan.lastThread));
    end.countDown();
    eventually("it has ended", () -> dispatch.inFlight() == 0);
    assertThat(scan.violations).hasValue(0);
  }
}
