package org.nyala.core.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.nyala.core.Patience;
import org.nyala.core.message.OperationType;

class SliceMetricsTest {
  private final SliceMetrics slices = new SliceMetrics();

  private void onThread(Runnable task) {
    Thread thread = Thread.ofPlatform().start(task);
    Patience.join(thread);
  }

  @Test
  void shouldCountByKindOverAllThreads() {
    slices.took(OperationType.SEARCH, 3000);
    onThread(() -> slices.took(OperationType.SEARCH, 5000));
    onThread(() -> slices.took(OperationType.COMPARE, 4000));
    assertThat(slices.times(OperationType.SEARCH).count()).isEqualTo(2);
    assertThat(slices.times(OperationType.SEARCH).sumNanos()).isEqualTo(8000);
    assertThat(slices.times(OperationType.COMPARE).sumNanos()).isEqualTo(4000);
    assertThat(slices.times(OperationType.ADD).count()).isZero();
    assertThat(slices.longestNanos(OperationType.SEARCH)).isEqualTo(5000);
    assertThat(slices.longestNanos(OperationType.COMPARE)).isEqualTo(4000);
    assertThat(slices.longestNanos(OperationType.ADD)).isZero();
    assertThat(slices.longestNanos()).isEqualTo(5000);
  }

  @Test
  void shouldBeginAnewWithTheLongestAndKeepTheRest() {
    assertThat(slices.takeLongestNanos()).isZero();
    slices.took(OperationType.SEARCH, 7000);
    onThread(() -> slices.took(OperationType.BIND, 9000));
    assertThat(slices.takeLongestNanos()).isEqualTo(9000);
    assertThat(slices.longestNanos()).isZero();
    slices.took(OperationType.SEARCH, 2000);
    slices.took(OperationType.SEARCH, 1000);
    assertThat(slices.longestNanos()).isEqualTo(2000);
    assertThat(slices.times(OperationType.SEARCH).count()).isEqualTo(3);
    assertThat(slices.times(OperationType.BIND).count()).isEqualTo(1);
  }

  /** Strategies that are changed again and again must not leave counters behind each time. */
  @Test
  void shouldLetThreadsGoOnWithWhatThoseBeforeThemHaveCounted() throws InterruptedException {
    CountDownLatch end = new CountDownLatch(1);
    CountDownLatch counted = new CountDownLatch(1);
    Thread living =
        Thread.ofPlatform()
            .start(
                () -> {
                  slices.took(OperationType.SEARCH, 1000);
                  counted.countDown();
                  Patience.await(end);
                });
    Patience.await(counted);
    for (int i = 0; i < 100; i++) {
      onThread(() -> slices.took(OperationType.SEARCH, 1000));
    }
    assertThat(slices.threads()).isEqualTo(2);
    end.countDown();
    living.join();
    assertThat(slices.times(OperationType.SEARCH).count()).isEqualTo(101);
  }
}
