package org.nyala.management.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests parts that are made as often as they are cheap. */
class PacedTest {
  private final AtomicInteger made = new AtomicInteger();

  @Test
  void shouldBeMadeWhenAskedAndNotAgainAtOnce() {
    Paced<Integer> paced = new Paced<>(made::incrementAndGet, Runnable::run, 3600, 3600);
    assertThat(made).hasValue(0);
    for (int i = 0; i < 100; i++) {
      assertThat(paced.get()).isEqualTo(1);
    }
    paced.touch();
    eventually("it is made again soon", () -> paced.get() == 2);
    assertThat(paced.get()).isEqualTo(2);
  }

  @Test
  void shouldBeMadeByAnotherThreadOnceAtATime() {
    Deque<Runnable> tasks = new ArrayDeque<>();
    Paced<Integer> paced = new Paced<>(made::incrementAndGet, tasks::add, 3600, 3600);
    assertThat(paced.get()).isNull();
    assertThat(paced.get()).isNull();
    assertThat(tasks).hasSize(1);
    tasks.remove().run();
    assertThat(paced.get()).isEqualTo(1);
    assertThat(tasks).isEmpty();
  }

  @Test
  void shouldStayAsItWasAfterAFailure() {
    Paced<Integer> paced =
        new Paced<>(
            () -> {
              if (made.incrementAndGet() > 1) {
                throw new IllegalStateException("no store");
              }
              return made.get();
            },
            Runnable::run,
            0,
            0);
    assertThat(paced.get()).isEqualTo(1);
    assertThat(paced.get()).isEqualTo(1);
    assertThat(made.get()).isGreaterThan(1);
    Paced<Integer> refused =
        new Paced<>(
            made::incrementAndGet,
            _ -> {
              throw new RejectedExecutionException("closed");
            },
            0,
            0);
    assertThat(refused.get()).isNull();
  }
}
