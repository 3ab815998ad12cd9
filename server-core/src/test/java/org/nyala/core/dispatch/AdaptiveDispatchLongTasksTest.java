package org.nyala.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.await;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nyala.core.dispatch.Task.Outcome;

/** Tests which tasks that exceed the small budget stay on the loop. */
class AdaptiveDispatchLongTasksTest extends AdaptiveDispatchTestCase {
  /** Runs a number of tasks of one connection, of a millisecond each; returns the last. */
  private ScriptedTask last(ConnectionLoopHistory history, int count) {
    ScriptedTask task = working(history, 1_000_000);
    for (int i = 1; i < count; i++) {
      startsOnTheLoop(task);
      task = working(history, 1_000_000);
    }
    startsOnTheLoop(task);
    return task;
  }

  /** Two tasks that were too long, and those that avoid the loop because of them. */
  private static final int UNTIL_ALONE = 2 + ConnectionLoopHistory.FIRST;

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
  void shouldTakeSomeLongTasksInARowForExceptionsAfterManyShortOnes() {
    ConnectionLoopHistory history = new ConnectionLoopHistory();
    ConnectionLoopHistory other = new ConnectionLoopHistory();
    for (int i = 0;
        i < 2 * ConnectionLoopHistory.EXCEPTIONS_SAVED * ConnectionLoopHistory.EXCEPTION_ONE_IN;
        i++) {
      startsOnTheLoop(with(history, 1_000));
    }
    for (int i = 0; i < ConnectionLoopHistory.EXCEPTIONS_SAVED; i++) {
      assertThat(startsOnTheLoop(working(history, 2_200_000))).as("number %d", i).isTrue();
      startsOnTheLoop(with(other, 1_000));
    }
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
  void shouldKeepLongTasksOfTheOnlyConnectionOnTheLoop() {
    ConnectionLoopHistory history = new ConnectionLoopHistory();
    assertThat(last(history, LoopLoad.ALONE + 1).budgets).containsExactly(Slices.WORKER);
    ScriptedTask alone = last(history, 1);
    assertThat(alone.budgets).containsExactly(SOON, UNHURRIED);
    assertThat(alone.lastThread).isSameAs(Thread.currentThread());
    startsOnTheLoop(with(history, 1));
    assertThat(last(history, 1).budgets).as("after a short one").containsExactly(SOON, UNHURRIED);
  }

  @Test
  void shouldHaveLongTasksMakeWayAgainOnceThereIsAnotherConnection() {
    ConnectionLoopHistory history = new ConnectionLoopHistory();
    last(history, UNTIL_ALONE + 1);
    startsOnTheLoop(with(new ConnectionLoopHistory(), 1));
    assertThat(last(history, 1).budgets).containsExactly(SOON, Slices.WORKER);
  }

  @Test
  void shouldHaveLongTasksMakeWayForAnotherLogin() {
    ConnectionLoopHistory history = new ConnectionLoopHistory();
    last(history, UNTIL_ALONE + 1);
    ScriptedTask login = hash();
    login.history = new ConnectionLoopHistory();
    strategy.dispatch(login);
    await(login.done);
    assertThat(last(history, 1).budgets).containsExactly(SOON, Slices.WORKER);
  }

  @Test
  void shouldHaveLongTasksMakeWayForMoreOfTheirOwnClient() {
    ConnectionLoopHistory history = new ConnectionLoopHistory();
    last(history, UNTIL_ALONE + 1);
    ScriptedTask pipelined = working(history, 1_000_000);
    pipelined.isPipelined = true;
    startsOnTheLoop(pipelined);
    assertThat(pipelined.budgets).containsExactly(SOON, Slices.WORKER);
    assertThat(last(history, 1).budgets).containsExactly(SOON, Slices.WORKER);
  }

  @Test
  void shouldMoveWhatIsTooLongEvenForTheOnlyConnection() {
    ConnectionLoopHistory history = new ConnectionLoopHistory();
    last(history, UNTIL_ALONE + 1);
    ScriptedTask longest = working(history, 5_000_000);
    assertThat(startsOnTheLoop(longest)).isFalse();
    assertThat(longest.budgets).containsExactly(SOON, UNHURRIED, Slices.WORKER);
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
  void shouldTryTheLoopLessAndLessOftenWithWhatIsTooLongForItInAnyCase() {
    ConnectionLoopHistory history = new ConnectionLoopHistory();
    last(history, LoopLoad.ALONE + 1);
    startsOnTheLoop(working(history, 5_000_000));
    for (int detours = 4 * ConnectionLoopHistory.FIRST;
        detours <= ConnectionLoopHistory.MOST;
        detours *= 2) {
      ScriptedTask attempt = working(history, 5_000_000);
      startsOnTheLoop(attempt);
      assertThat(attempt.budgets).containsExactly(SOON, UNHURRIED, Slices.WORKER);
      for (int i = 0; i < detours; i++) {
        ScriptedTask detour = working(history, 5_000_000);
        startsOnTheLoop(detour);
        assertThat(detour.budgets).doesNotContain(SOON, UNHURRIED);
      }
    }
    assertThat(last(history, 1).budgets).as("a shorter one").containsExactly(SOON, UNHURRIED);
    assertThat(last(history, 1).budgets).as("from then on").containsExactly(SOON, UNHURRIED);
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
        new DispatchSettings(2, 0, 4, 1, 1, Thread.ofPlatform().daemon().factory(), this::now), 1);
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
    ConnectionLoopHistory history = new ConnectionLoopHistory();
    last(history, UNTIL_ALONE);
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
      assertThat(startsOnTheLoop(task)).isTrue();
    }
    assertThat(strategy.demotions()).containsEntry(OperationClass.SEARCH, 0L);
  }
}
