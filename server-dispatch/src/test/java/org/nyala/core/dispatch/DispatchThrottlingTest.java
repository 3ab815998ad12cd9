package org.nyala.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.await;
import static org.nyala.core.dispatch.ScriptedTask.heldOne;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.nyala.core.dispatch.Task.Outcome;

/** Tests which strategies make tasks wait for permits, and which do not. */
class DispatchThrottlingTest extends DispatchTestCase {
  static final List<String> OFF_LOOP = TriedStrategies.OFF_LOOP;

  /** The strategies that throttle. */
  static final List<String> PERMITTED =
      List.of("striped", "virtual-threads", "load-conditioned", "lightweight-conditioned");

  /** The strategies that do not: the bound of connections is theirs. */
  static final List<String> UNTHROTTLED = List.of("single-queue", "lightweight", "multi-queue");

  @ParameterizedTest
  @FieldSource("PERMITTED")
  void shouldLetTasksWaitInOrderUntilEnoughPermitsAreFree(String name) {
    DispatchStrategy strategy = TriedStrategies.createWithoutShares(name, 1, 2);
    CountDownLatch gate = new CountDownLatch(1);
    List<Integer> order = new CopyOnWriteArrayList<>();
    List<ScriptedTask> tasks = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      int place = i;
      tasks.add(
          new ScriptedTask(
              1,
              loop,
              _ -> {
                await(gate);
                order.add(place);
                return Outcome.DONE;
              }));
    }
    for (int i = 0; i < tasks.size(); i++) {
      assertThat(strategy.dispatch(tasks.get(i))).as("task %d", i).isEqualTo(i < 2);
    }
    assertThat(strategy.inFlight()).isEqualTo(20);
    assertThat(tasks).noneMatch(task -> task.admissions.get() > 0);
    gate.countDown();
    for (ScriptedTask task : tasks) {
      await(task.done);
    }
    strategy.close();
    assertThat(tasks.stream().mapToInt(task -> task.admissions.get()).sum()).isEqualTo(18);
    if (!name.equals("virtual-threads")) {
      assertThat(order).isSorted();
    }
  }

  @ParameterizedTest
  @FieldSource("UNTHROTTLED")
  void shouldThrottleNobodyWhereTheOriginalDidNot(String name) {
    DispatchStrategy strategy = TriedStrategies.create(name, 1, 1);
    CountDownLatch gate = new CountDownLatch(1);
    List<ScriptedTask> tasks = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      tasks.add(heldOne(i, loop, gate));
      assertThat(strategy.dispatch(tasks.getLast())).isTrue();
    }
    assertThat(strategy.inFlight()).isEqualTo(1_000);
    gate.countDown();
    strategy.close();
    assertThat(tasks).allMatch(task -> task.done.getCount() == 0);
  }

  @ParameterizedTest
  @FieldSource("OFF_LOOP")
  void shouldTakeWorkThatIsUnderWayWithoutAFreePermit(String name) {
    DispatchStrategy strategy = TriedStrategies.create(name, 1, 1);
    CountDownLatch gate = new CountDownLatch(1);
    ScriptedTask holder = heldOne(1, loop, gate);
    ScriptedTask underWay =
        new ScriptedTask(
            1,
            loop,
            task -> {
              await(gate);
              return task.slices.get() < 3 ? Outcome.YIELDED : Outcome.DONE;
            });
    assertThat(strategy.dispatch(holder)).isTrue();
    strategy.resume(underWay);
    assertThat(strategy.inFlight()).isEqualTo(2);
    gate.countDown();
    await(underWay.done);
    strategy.close();
    assertThat(underWay.admissions).hasValue(0);
    assertThat(strategy.inFlight()).isZero();
  }
}
