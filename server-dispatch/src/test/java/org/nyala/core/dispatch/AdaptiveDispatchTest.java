package org.nyala.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.await;
import static org.nyala.core.dispatch.ScriptedTask.longOne;
import static org.nyala.core.dispatch.ScriptedTask.shortOne;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.nyala.core.dispatch.Task.Lane;
import org.nyala.core.dispatch.Task.Outcome;

class AdaptiveDispatchTest extends AdaptiveDispatchTestCase {
  private static ScriptedTask gated(CountDownLatch gate) {
    return new ScriptedTask(
        1,
        Runnable::run,
        task -> {
          if (task.slices.get() == 1) {
            return Outcome.YIELDED;
          }
          await(gate);
          return Outcome.DONE;
        });
  }

  @Test
  void shouldRunShortTasksOnTheLoopWithASmallBudget() {
    ScriptedTask task = shortOne(1);
    assertThat(startsOnTheLoop(task)).isTrue();
    assertThat(task.lastBudget).isEqualTo(SOON);
    assertThat(strategy.inFlight()).isZero();
  }

  @Test
  void shouldContinueOnAStripeWhatExceedsTheBudget() {
    ScriptedTask task = longOne(1, Runnable::run, 2);
    assertThat(startsOnTheLoop(task)).isFalse();
    assertThat(task.lastBudget).isEqualTo(Slices.WORKER);
  }

  @Test
  void shouldSendHashesToTheirPoolAndKeepTheStripesFree() {
    CountDownLatch gate = new CountDownLatch(1);
    List<ScriptedTask> hashes = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      ScriptedTask hash = gated(gate);
      hash.lane = Lane.HASH;
      hash.costClass = ScriptedTask.OTHER;
      hashes.add(hash);
      assertThat(strategy.dispatch(hash)).isTrue();
    }
    ScriptedTask other = longOne(1, Runnable::run, 5);
    assertThat(startsOnTheLoop(other)).isFalse();
    gate.countDown();
    for (ScriptedTask hash : hashes) {
      await(hash.done);
      assertThat(hash.lastThread).isNotSameAs(Thread.currentThread());
    }
  }

  @Test
  void shouldBoundTheQueueOfHashes() {
    CountDownLatch gate = new CountDownLatch(1);
    List<ScriptedTask> hashes = new ArrayList<>();
    int admitted = 0;
    for (int i = 0; i < 40; i++) {
      ScriptedTask hash = gated(gate);
      hash.lane = Lane.HASH;
      hash.owner = i % 2;
      hashes.add(hash);
      admitted += strategy.dispatch(hash) ? 1 : 0;
    }
    assertThat(admitted).isEqualTo(32);
    gate.countDown();
    for (ScriptedTask hash : hashes) {
      await(hash.done);
    }
    assertThat(hashes.stream().mapToInt(hash -> hash.admissions.get()).sum()).isEqualTo(8);
  }

  @Test
  void shouldMakeLongTasksWaitForAPermitButNotShortOnes() {
    CountDownLatch gate = new CountDownLatch(1);
    List<ScriptedTask> gated = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      gated.add(gated(gate));
      gated.getLast().owner = i / 2;
      assertThat(strategy.dispatch(gated.getLast())).as("permit %d", i).isTrue();
    }
    ScriptedTask waiting = longOne(1, Runnable::run, 2);
    waiting.owner = 0;
    assertThat(strategy.dispatch(waiting)).isFalse();
    assertThat(waiting.slices).hasValue(1);
    assertThat(startsOnTheLoop(shortOne(1))).isTrue();
    assertThat(strategy.inFlight()).isEqualTo(5);
    gate.countDown();
    await(waiting.done);
    assertThat(waiting.admissions).hasValue(1);
  }

  @Test
  void shouldSpreadTheLongTasksOfOneConnection() {
    CountDownLatch gate = new CountDownLatch(1);
    ScriptedTask first = gated(gate);
    strategy.dispatch(first);
    ScriptedTask second = longOne(1, Runnable::run, 2);
    strategy.dispatch(second);
    await(second.done);
    assertThat(first.done.getCount()).isEqualTo(1);
    gate.countDown();
    await(first.done);
  }

  @Test
  void shouldDemoteAClassThatProvesSlowAndForgiveIt() {
    for (int i = 0; i < 12; i++) {
      startsOnTheLoop(taking(10_000_000));
    }
    assertThat(startsOnTheLoop(shortOne(1))).isFalse();
    assertThat(strategy.demotions()).startsWith(0L, 1L);
    ScriptedTask otherClass = shortOne(1);
    otherClass.costClass = ScriptedTask.OTHER;
    assertThat(startsOnTheLoop(otherClass)).isTrue();
    clock.addAndGet(ClassDemotion.DEMOTION_NANOS);
    assertThat(startsOnTheLoop(shortOne(1))).isTrue();
  }

  @Test
  void shouldDemoteSoonerOnProbation() {
    for (int i = 0; i < 12; i++) {
      startsOnTheLoop(taking(10_000_000));
    }
    clock.addAndGet(ClassDemotion.DEMOTION_NANOS);
    int samples = 0;
    while (startsOnTheLoop(taking(10_000_000))) {
      samples++;
    }
    assertThat(samples).isBetween(1, 7);
    assertThat(strategy.demotions().get(ScriptedTask.USUAL)).isEqualTo(2);
  }

  @Test
  void shouldTimeOneInSomeShortTasksOfAConnection() {
    ConnectionLoopHistory history = old();
    int timed = 1_000;
    for (int i = 0; i < timed * ConnectionLoopHistory.TIMED_ONE_IN; i++) {
      assertThat(startsOnTheLoop(with(history, 10_000))).isTrue();
    }
    assertThat(looks.get()).isBetween(2 * timed - 400, 2 * timed + 400);
  }

  @Test
  void shouldTimeEveryTaskOnceOneWasSlow() {
    ConnectionLoopHistory history = old();
    int slow = 0;
    while (slow < 300 && startsOnTheLoop(with(history, 10_000_000))) {
      slow++;
    }
    // That none of two hundred is timed happens once in 10^11 times.
    assertThat(slow).isBetween(11, 11 + 200);
  }

  @Test
  void shouldTimeTheFirstTasksOfAConnection() {
    ConnectionLoopHistory history = new ConnectionLoopHistory();
    for (int i = 0; i < ConnectionLoopHistory.YOUTH; i++) {
      assertThat(startsOnTheLoop(with(history, 10_000))).isTrue();
      assertThat(looks).as("and one for the loop").hasValue(2 * (i + 1) + 1);
    }
  }

  @Test
  void shouldNoticeThatTheFirstTasksOfManyConnectionsAreSlow() {
    for (int i = 0; i < 12; i++) {
      startsOnTheLoop(with(new ConnectionLoopHistory(), 10_000_000));
    }
    assertThat(strategy.demotions().get(ScriptedTask.USUAL)).isEqualTo(1);
  }

  /**
   * Returns the number of tasks that start on the loop, all of one connection and too long for it.
   */
  private List<Integer> startsOnTheLoop(ConnectionLoopHistory history, int count) {
    List<Integer> starts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ScriptedTask task = longOne(1, Runnable::run, 3);
      task.history = history;
      task.isPipelined = true;
      strategy.dispatch(task);
      await(task.done);
      if (task.budgets.getFirst().equals(SOON)) {
        starts.add(i);
      }
    }
    return starts;
  }

  @Test
  void shouldTryTheLoopWithOneInNineOfAConnectionOfLongTasks() {
    assertThat(startsOnTheLoop(new ConnectionLoopHistory(), 40))
        .containsExactly(0, 1, 10, 19, 28, 37);
  }

  @Test
  void shouldForgiveAConnectionOfLongTasksWithTheFirstThatIsShort() {
    ConnectionLoopHistory history = new ConnectionLoopHistory();
    startsOnTheLoop(history, 29);
    List<Boolean> onLoop = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      ScriptedTask task = shortOne(1);
      task.history = history;
      task.isPipelined = true;
      onLoop.add(startsOnTheLoop(task));
    }
    assertThat(onLoop.subList(0, 8)).containsOnly(false);
    assertThat(onLoop.subList(8, 16)).containsOnly(true);
    assertThat(startsOnTheLoop(history, 10)).containsExactly(0, 1);
  }

  @Test
  void shouldKeepOtherClassesAndOtherConnectionsOnTheLoop() {
    ConnectionLoopHistory history = new ConnectionLoopHistory();
    startsOnTheLoop(history, 2);
    ScriptedTask otherClass = shortOne(1);
    otherClass.history = history;
    otherClass.costClass = ScriptedTask.OTHER;
    assertThat(startsOnTheLoop(otherClass)).isTrue();
    ScriptedTask otherConnection = shortOne(2);
    otherConnection.history = new ConnectionLoopHistory();
    assertThat(startsOnTheLoop(otherConnection)).isTrue();
    ScriptedTask sameConnection = shortOne(1);
    sameConnection.history = history;
    assertThat(startsOnTheLoop(sameConnection)).isFalse();
  }

  @Test
  void shouldNotBlameTheLoopForWhatBelongsElsewhere() {
    ConnectionLoopHistory history = new ConnectionLoopHistory();
    ScriptedTask hash = hash();
    hash.history = history;
    strategy.dispatch(hash);
    await(hash.done);
    ScriptedTask next = shortOne(1);
    next.history = history;
    assertThat(startsOnTheLoop(next)).isTrue();
  }

  @Test
  void shouldNotDemoteForOneLongPauseNorForSlicesWithinTheBudget() {
    startsOnTheLoop(taking(1_000_000_000));
    for (int i = 0; i < 1_000; i++) {
      assertThat(startsOnTheLoop(taking(200_000))).as("task %d", i).isTrue();
    }
  }

  @Test
  void shouldNotDemoteForThreadsThatLoseTheirProcessorsNowAndThen() {
    for (int i = 0; i < 1_000; i++) {
      assertThat(startsOnTheLoop(taking(i % 4 == 0 ? 3_000_000 : 150_000))).isTrue();
    }
  }
}
