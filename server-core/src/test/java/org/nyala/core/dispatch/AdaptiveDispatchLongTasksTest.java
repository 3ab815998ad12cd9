package org.nyala.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.await;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nyala.core.dispatch.Task.Outcome;

/** Tasks that are too long for the small budget, and which of them stay on the loop. */
class AdaptiveDispatchLongTasksTest extends AdaptiveDispatchTestCase {
  /** So many tasks of one connection, of a millisecond each. */
  private ScriptedTask last(LoopHistory history, int count) {
    ScriptedTask task = working(history, 1_000_000);
    for (int i = 1; i < count; i++) {
      startsOnTheLoop(task);
      task = working(history, 1_000_000);
    }
    startsOnTheLoop(task);
    return task;
  }

  /** Two that were too long, and those that would avoid the loop for it. */
  private static final int UNTIL_ALONE = 2 + LoopHistory.FIRST;

  @Test
  void shouldGiveATaskThatIsAnExceptionASecondSlice() {
    LoopHistory history = new LoopHistory();
    for (int i = 1; i < LoopHistory.EXCEPTION_ONE_IN; i++) {
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
    LoopHistory history = new LoopHistory();
    for (int i = 1; i < LoopHistory.EXCEPTION_ONE_IN; i++) {
      startsOnTheLoop(with(history, 1_000));
    }
    ScriptedTask scan = working(history, 3_000_000);
    assertThat(startsOnTheLoop(scan)).isFalse();
    assertThat(scan.budgets).containsExactly(SOON, EXCEPTION, Slices.WORKER);
    assertThat(startsOnTheLoop(with(history, 1_000))).as("the next one").isTrue();
  }

  @Test
  void shouldTakeOneInSomeTasksForAnExceptionAndNoMore() {
    LoopHistory history = new LoopHistory();
    LoopHistory other = new LoopHistory();
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
    LoopHistory history = new LoopHistory();
    LoopHistory other = new LoopHistory();
    for (int i = 0; i < 2 * LoopHistory.EXCEPTIONS_SAVED * LoopHistory.EXCEPTION_ONE_IN; i++) {
      startsOnTheLoop(with(history, 1_000));
    }
    for (int i = 0; i < LoopHistory.EXCEPTIONS_SAVED; i++) {
      assertThat(startsOnTheLoop(working(history, 2_200_000))).as("number %d", i).isTrue();
      startsOnTheLoop(with(other, 1_000));
    }
    assertThat(startsOnTheLoop(working(history, 2_200_000))).as("one more").isFalse();
  }

  @Test
  void shouldGrantYoungConnectionsOneExceptionOfSomeTasksOfTheLoop() {
    LoopHistory others = new LoopHistory();
    List<Integer> exceptions = new ArrayList<>();
    for (int i = 0; i < 3 * LoopPace.EXCEPTION_ONE_IN; i++) {
      // Connections that are there for nothing but one long task, twice as often as is granted.
      if (i % (LoopPace.EXCEPTION_ONE_IN / 2) == 0) {
        ScriptedTask first = working(new LoopHistory(), 1_000_000);
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
    LoopHistory young = new LoopHistory();
    LoopHistory others = new LoopHistory();
    for (int i = 0; i < 2 * LoopPace.EXCEPTION_ONE_IN; i++) {
      startsOnTheLoop(with(others, 1_000));
    }
    for (int i = 1; i < LoopHistory.EXCEPTION_ONE_IN - 1; i++) {
      startsOnTheLoop(with(young, 1_000));
    }
    assertThat(startsOnTheLoop(working(young, 1_000_000))).isTrue();
    for (int i = 0; i < 2 * LoopPace.EXCEPTION_ONE_IN; i++) {
      startsOnTheLoop(with(others, 1_000));
    }
    startsOnTheLoop(with(young, 1_000));
    assertThat(startsOnTheLoop(working(young, 1_000_000))).isFalse();
  }

  @Test
  void shouldKeepLongTasksOfTheOnlyConnectionOnTheLoop() {
    LoopHistory history = new LoopHistory();
    assertThat(last(history, LoopPace.ALONE + 1).budgets).containsExactly(Slices.WORKER);
    ScriptedTask alone = last(history, 1);
    assertThat(alone.budgets).containsExactly(SOON, UNHURRIED);
    assertThat(alone.lastThread).isSameAs(Thread.currentThread());
    startsOnTheLoop(with(history, 1));
    assertThat(last(history, 1).budgets).as("after a short one").containsExactly(SOON, UNHURRIED);
  }

  @Test
  void shouldHaveLongTasksMakeWayAgainOnceThereIsAnotherConnection() {
    LoopHistory history = new LoopHistory();
    last(history, UNTIL_ALONE + 1);
    startsOnTheLoop(with(new LoopHistory(), 1));
    assertThat(last(history, 1).budgets).containsExactly(SOON, Slices.WORKER);
  }

  @Test
  void shouldHaveLongTasksMakeWayForAnotherLogin() {
    LoopHistory history = new LoopHistory();
    last(history, UNTIL_ALONE + 1);
    ScriptedTask login = hash();
    login.history = new LoopHistory();
    strategy.dispatch(login);
    await(login.done);
    assertThat(last(history, 1).budgets).containsExactly(SOON, Slices.WORKER);
  }

  @Test
  void shouldHaveLongTasksMakeWayForMoreOfTheirOwnClient() {
    LoopHistory history = new LoopHistory();
    last(history, UNTIL_ALONE + 1);
    ScriptedTask pipelined = working(history, 1_000_000);
    pipelined.isPipelined = true;
    startsOnTheLoop(pipelined);
    assertThat(pipelined.budgets).containsExactly(SOON, Slices.WORKER);
    assertThat(last(history, 1).budgets).containsExactly(SOON, Slices.WORKER);
  }

  @Test
  void shouldMoveWhatIsTooLongEvenForTheOnlyConnection() {
    LoopHistory history = new LoopHistory();
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
      clock.addAndGet(LoopPace.ALL_LONG_NANOS);
      assertThat(ofAnyConnection(onOneProcessor).budgets).containsExactly(SOON, UNHURRIED);
      onOneProcessor.dispatch(with(new LoopHistory(), 1_000));
      assertThat(ofAnyConnection(onOneProcessor).budgets).containsExactly(SOON, Slices.WORKER);
      clock.addAndGet(LoopPace.ALL_LONG_NANOS);
      ScriptedTask pipelined = working(new LoopHistory(), 1_000_000);
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
      LoopHistory history = new LoopHistory();
      of(history, onOneProcessor);
      of(history, onOneProcessor);
      assertThat(of(history, onOneProcessor).budgets)
          .as("kept away")
          .containsExactly(Slices.WORKER);
      clock.addAndGet(LoopPace.ALL_LONG_NANOS);
      ofAnyConnection(onOneProcessor);
      assertThat(of(history, onOneProcessor).budgets).containsExactly(SOON, UNHURRIED);
      onOneProcessor.dispatch(with(new LoopHistory(), 1_000));
      assertThat(of(history, onOneProcessor).budgets).containsExactly(Slices.WORKER);
      clock.addAndGet(LoopPace.ALL_LONG_NANOS);
      ofAnyConnection(onOneProcessor);
      clock.addAndGet(LoopPace.ALL_LONG_NANOS);
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
    LoopHistory history = new LoopHistory();
    last(history, LoopPace.ALONE + 1);
    startsOnTheLoop(working(history, 5_000_000));
    for (int detours = 4 * LoopHistory.FIRST; detours <= LoopHistory.MOST; detours *= 2) {
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
      LoopHistory history = new LoopHistory();
      of(history, onOneProcessor);
      of(history, onOneProcessor);
      clock.addAndGet(LoopPace.ALL_LONG_NANOS);
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

  /** A long task of a connection that has done nothing yet. */
  private ScriptedTask ofAnyConnection(AdaptiveDispatch dispatch) {
    return of(new LoopHistory(), dispatch);
  }

  private ScriptedTask of(LoopHistory history, AdaptiveDispatch dispatch) {
    ScriptedTask task = working(history, 1_000_000);
    dispatch.dispatch(task);
    await(task.done);
    return task;
  }

  @Test
  void shouldNotTakeAFullMachineForASlowDisk() {
    LoopHistory history = new LoopHistory();
    last(history, UNTIL_ALONE);
    for (int i = 0; i < 100; i++) {
      // Its first slice takes longer than it may, as slices do that lose their processor.
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
