package org.nyala.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.await;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nyala.core.dispatch.Task.Outcome;

/** Tests which tasks that exceed the small budget stay on the loop. */
class AdaptiveDispatchLongTasksTest extends AdaptiveDispatchTestCase {
  @Test
  void shouldGiveATaskThatIsAnExceptionASecondSlice() {
    ConnectionLoopHistory history = new ConnectionLoopHistory();
    for (int i = 1; i < ConnectionLoopHistory.EXCEPTION_ONE_IN; i++) {
      startsOnTheLoop(with(history, 1_000));
    }
    ScriptedTask exception = working(history, 2_200_000);
    assertThat(startsOnTheLoop(exception)).isTrue();
    assertThat(exception.budgets).containsExactly(SOON, EXCEPTION);
    ScriptedTask another = working(history, 300_000);
    assertThat(startsOnTheLoop(another)).isFalse();
    assertThat(another.budgets).containsExactly(SOON, Slices.WORKER);
  }

  @Test
  void shouldMoveAnExceptionThatIsTooLongForThat() {
    ConnectionLoopHistory history = new ConnectionLoopHistory();
    for (int i = 1; i < ConnectionLoopHistory.EXCEPTION_ONE_IN; i++) {
      startsOnTheLoop(with(history, 1_000));
    }
    ScriptedTask scan = working(history, 3_000_000);
    assertThat(startsOnTheLoop(scan)).isFalse();
    assertThat(scan.budgets).containsExactly(SOON, EXCEPTION, Slices.WORKER);
    assertThat(startsOnTheLoop(with(history, 1_000))).as("the next one").isTrue();
  }

  @Test
  void shouldTakeOneInSomeTasksForAnExceptionAndNoMore() {
    ConnectionLoopHistory history = new ConnectionLoopHistory();
    ConnectionLoopHistory other = new ConnectionLoopHistory();
    List<Integer> exceptions = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      ScriptedTask task = working(history, i % 4 == 0 ? 300_000 : 1_000);
      startsOnTheLoop(task);
      startsOnTheLoop(with(other, 1_000));
      if (task.lastBudget.equals(EXCEPTION)) {
        exceptions.add(i);
      }
    }
    assertThat(exceptions).containsExactly(16, 32, 48);
  }

  @Test
  void shouldTakeOneLongTaskForAnExceptionAfterManyShortOnes() {
    ConnectionLoopHistory history = new ConnectionLoopHistory();
    for (int i = 0; i < 8 * ConnectionLoopHistory.EXCEPTION_ONE_IN; i++) {
      startsOnTheLoop(with(history, 1_000));
    }
    assertThat(startsOnTheLoop(working(history, 2_200_000))).isTrue();
    assertThat(startsOnTheLoop(working(history, 2_200_000))).as("one more").isFalse();
  }

  @Test
  void shouldGrantYoungConnectionsOneExceptionOfSomeTasksOfTheLoop() {
    ConnectionLoopHistory others = new ConnectionLoopHistory();
    List<Integer> exceptions = new ArrayList<>();
    for (int i = 0; i < 3 * LoopLoad.EXCEPTION_ONE_IN; i++) {
      // Connections with nothing but one long task, twice as often as is granted.
      if (i % (LoopLoad.EXCEPTION_ONE_IN / 2) == 0) {
        ScriptedTask first = working(new ConnectionLoopHistory(), 1_000_000);
        if (startsOnTheLoop(first)) {
          exceptions.add(i);
        }
      }
      startsOnTheLoop(with(others, 1_000));
    }
    assertThat(exceptions).containsExactly(64, 128);
  }

  @Test
  void shouldGrantAYoungConnectionOneExceptionAndNoMore() {
    ConnectionLoopHistory young = new ConnectionLoopHistory();
    ConnectionLoopHistory others = new ConnectionLoopHistory();
    for (int i = 0; i < 2 * LoopLoad.EXCEPTION_ONE_IN; i++) {
      startsOnTheLoop(with(others, 1_000));
    }
    for (int i = 1; i < ConnectionLoopHistory.EXCEPTION_ONE_IN - 1; i++) {
      startsOnTheLoop(with(young, 1_000));
    }
    assertThat(startsOnTheLoop(working(young, 1_000_000))).isTrue();
    for (int i = 0; i < 2 * LoopLoad.EXCEPTION_ONE_IN; i++) {
      startsOnTheLoop(with(others, 1_000));
    }
    startsOnTheLoop(with(young, 1_000));
    assertThat(startsOnTheLoop(working(young, 1_000_000))).isFalse();
  }

  @Test
  void shouldMoveLongTasksOfTheOnlyConnectionWhileAProcessorIsFree() {
    ConnectionLoopHistory history = new ConnectionLoopHistory();
    ofAnyConnection(strategy);
    clock.addAndGet(LoopLoad.ALL_LONG_NANOS);
    for (int i = 0; i < 2; i++) {
      assertThat(of(history, strategy).budgets).containsExactly(SOON, Slices.WORKER);
    }
    for (int i = 0; i < ConnectionLoopHistory.DETOURS; i++) {
      assertThat(of(history, strategy).budgets).containsExactly(Slices.WORKER);
    }
    assertThat(of(history, strategy).budgets).containsExactly(SOON, Slices.WORKER);
  }

  @Test
  void shouldMoveWhatIsTooLongEvenWhereNothingElseHappens() {
    AdaptiveDispatch onOneProcessor = whereAllAreLong();
    try {
      ConnectionLoopHistory history = new ConnectionLoopHistory();
      for (int i = 0; i < 20; i++) {
        ScriptedTask longest = working(history, 5_000_000);
        onOneProcessor.dispatch(longest);
        await(longest.done);
        assertThat(longest.budgets).containsExactly(SOON, UNHURRIED, Slices.WORKER);
        assertThat(longest.lastThread).isNotSameAs(Thread.currentThread());
      }
    } finally {
      onOneProcessor.close();
    }
  }

  @Test
  void shouldHaveLongTasksMakeWayForALogin() {
    AdaptiveDispatch onOneProcessor = whereAllAreLong();
    try {
      assertThat(ofAnyConnection(onOneProcessor).budgets).containsExactly(SOON, UNHURRIED);
      ScriptedTask hash = hash();
      hash.history = new ConnectionLoopHistory();
      onOneProcessor.dispatch(hash);
      await(hash.done);
      assertThat(ofAnyConnection(onOneProcessor).budgets).containsExactly(SOON, Slices.WORKER);
    } finally {
      onOneProcessor.close();
    }
  }

  @Test
  void shouldKeepLongTasksOnLoopsWhereNothingElseHappens() {
    AdaptiveDispatch onOneProcessor = onOneProcessor();
    try {
      assertThat(ofAnyConnection(onOneProcessor).budgets).containsExactly(SOON, Slices.WORKER);
      clock.addAndGet(LoopLoad.ALL_LONG_NANOS);
      assertThat(ofAnyConnection(onOneProcessor).budgets).containsExactly(SOON, UNHURRIED);
      onOneProcessor.dispatch(with(new ConnectionLoopHistory(), 1_000));
      assertThat(ofAnyConnection(onOneProcessor).budgets).containsExactly(SOON, Slices.WORKER);
      clock.addAndGet(LoopLoad.ALL_LONG_NANOS);
      ScriptedTask pipelined = working(new ConnectionLoopHistory(), 1_000_000);
      pipelined.isPipelined = true;
      onOneProcessor.dispatch(pipelined);
      await(pipelined.done);
      assertThat(pipelined.budgets).containsExactly(SOON, Slices.WORKER);
      assertThat(ofAnyConnection(onOneProcessor).budgets).containsExactly(SOON, UNHURRIED);
    } finally {
      onOneProcessor.close();
    }
  }

  @Test
  void shouldStartOnTheLoopWhatWasToAvoidItWhereNothingElseHappens() {
    AdaptiveDispatch onOneProcessor = onOneProcessor();
    try {
      ConnectionLoopHistory history = new ConnectionLoopHistory();
      of(history, onOneProcessor);
      of(history, onOneProcessor);
      assertThat(of(history, onOneProcessor).budgets)
          .as("kept away")
          .containsExactly(Slices.WORKER);
      clock.addAndGet(LoopLoad.ALL_LONG_NANOS);
      ofAnyConnection(onOneProcessor);
      assertThat(of(history, onOneProcessor).budgets).containsExactly(SOON, UNHURRIED);
      onOneProcessor.dispatch(with(new ConnectionLoopHistory(), 1_000));
      assertThat(of(history, onOneProcessor).budgets).containsExactly(Slices.WORKER);
      clock.addAndGet(LoopLoad.ALL_LONG_NANOS);
      ofAnyConnection(onOneProcessor);
      clock.addAndGet(LoopLoad.ALL_LONG_NANOS);
      ofAnyConnection(onOneProcessor);
      ScriptedTask pipelined = working(history, 1_000_000);
      pipelined.isPipelined = true;
      onOneProcessor.dispatch(pipelined);
      await(pipelined.done);
      assertThat(pipelined.budgets).containsExactly(Slices.WORKER);
      assertThat(of(history, onOneProcessor).budgets).containsExactly(SOON, UNHURRIED);
    } finally {
      onOneProcessor.close();
    }
  }

  @Test
  void shouldForgiveEverythingOnceATaskIsShort() {
    AdaptiveDispatch onOneProcessor = onOneProcessor();
    try {
      ConnectionLoopHistory history = new ConnectionLoopHistory();
      of(history, onOneProcessor);
      of(history, onOneProcessor);
      clock.addAndGet(LoopLoad.ALL_LONG_NANOS);
      ofAnyConnection(onOneProcessor);
      onOneProcessor.dispatch(with(history, 1_000));
      assertThat(of(history, onOneProcessor).budgets).containsExactly(SOON, Slices.WORKER);
    } finally {
      onOneProcessor.close();
    }
  }

  private AdaptiveDispatch onOneProcessor() {
    return new AdaptiveDispatch(
        new DispatchSettings(2, 0, 4, 1, 1, Thread.ofPlatform().daemon().factory(), this::now),
        1,
        usage);
  }

  /** Returns the same after more than half a second of nothing but long tasks. */
  private AdaptiveDispatch whereAllAreLong() {
    AdaptiveDispatch dispatch = onOneProcessor();
    ofAnyConnection(dispatch);
    clock.addAndGet(LoopLoad.ALL_LONG_NANOS);
    ofAnyConnection(dispatch);
    return dispatch;
  }

  /** Returns a long task of a connection without history. */
  private ScriptedTask ofAnyConnection(AdaptiveDispatch dispatch) {
    return of(new ConnectionLoopHistory(), dispatch);
  }

  private ScriptedTask of(ConnectionLoopHistory history, AdaptiveDispatch dispatch) {
    ScriptedTask task = working(history, 1_000_000);
    dispatch.dispatch(task);
    await(task.done);
    return task;
  }

  @Test
  void shouldNotTakeAFullMachineForASlowDisk() {
    AdaptiveDispatch onOneProcessor = whereAllAreLong();
    try {
      ConnectionLoopHistory history = new ConnectionLoopHistory();
      for (int i = 0; i < 100; i++) {
        // Its first slice takes longer than it may, as happens when a slice loses its processor.
        ScriptedTask task =
            new ScriptedTask(
                1,
                Runnable::run,
                self -> {
                  clock.addAndGet(2_000_000);
                  return self.slices.get() == 1 ? Outcome.YIELDED : Outcome.DONE;
                });
        task.history = history;
        onOneProcessor.dispatch(task);
        await(task.done);
        assertThat(task.lastThread).isSameAs(Thread.currentThread());
      }
      assertThat(onOneProcessor.demotions().get(ScriptedTask.USUAL)).isEqualTo(0);
    } finally {
      onOneProcessor.close();
    }
  }
}
