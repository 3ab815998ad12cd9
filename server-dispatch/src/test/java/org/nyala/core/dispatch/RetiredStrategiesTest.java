package org.nyala.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.await;
import static org.nyala.core.Patience.eventually;
import static org.nyala.core.Patience.join;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.nyala.core.dispatch.Task.Outcome;

class RetiredStrategiesTest {
  private final RetiredStrategies retired = new RetiredStrategies();

  /** A strategy whose only worker is blocked. */
  private static final class Held {
    final CountDownLatch gate = new CountDownLatch(1);
    final CountDownLatch begun = new CountDownLatch(1);
    final DispatchStrategy strategy =
        DispatchStrategies.create(
            "striped",
            new DispatchSettings(
                1, 0, 4, 4, 1, Thread.ofPlatform().daemon().factory(), System::nanoTime));
    final ScriptedTask task =
        new ScriptedTask(
            1,
            Runnable::run,
            _ -> {
              begun.countDown();
              await(gate);
              return Outcome.DONE;
            });

    Held() {
      strategy.dispatch(task);
      await(begun);
    }
  }

  @Test
  void shouldNotKeepTheCallerWaitingForWhatIsUnderWay() {
    Held held = new Held();
    retired.retire(held.strategy);
    assertThat(retired.inFlight()).isEqualTo(1);
    assertThat(held.task.done.getCount()).isEqualTo(1);
    held.gate.countDown();
    retired.close();
    assertThat(held.task.done.getCount()).isZero();
    assertThat(retired.inFlight()).isZero();
  }

  @Test
  void shouldWaitForTheFirstWhereTooManyAreUnderWay() {
    List<Held> many = new ArrayList<>();
    for (int i = 0; i < RetiredStrategies.MOST; i++) {
      many.add(new Held());
      retired.retire(many.getLast().strategy);
    }
    Held last = new Held();
    Thread caller = Thread.ofPlatform().start(() -> retired.retire(last.strategy));
    eventually("the caller waits", () -> caller.getState() == Thread.State.WAITING);
    assertThat(retired.inFlight()).isEqualTo(RetiredStrategies.MOST);
    many.getFirst().gate.countDown();
    join(caller);
    assertThat(retired.inFlight()).isEqualTo(RetiredStrategies.MOST);
    many.forEach(held -> held.gate.countDown());
    last.gate.countDown();
    retired.close();
    assertThat(retired.inFlight()).isZero();
  }
}
