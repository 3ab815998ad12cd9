package org.nyala.core.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.nyala.core.Patience;
import org.nyala.core.message.OperationType;

class SliceMetricsTest {
  private final SliceMetrics slices = new SliceMetrics();

  private void took(OperationType type, long nanos) {
    slices.took(type, System.nanoTime(), nanos);
  }

  private void onThread(Runnable task) {
    Thread thread = Thread.ofPlatform().start(task);
    Patience.join(thread);
  }

  @Test
  void shouldCountByKindOverAllThreads() {
    took(OperationType.SEARCH, 3000);
    onThread(() -> took(OperationType.SEARCH, 5000));
    onThread(() -> took(OperationType.COMPARE, 4000));
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
    took(OperationType.SEARCH, 7000);
    onThread(() -> took(OperationType.BIND, 9000));
    assertThat(slices.takeLongestNanos()).isEqualTo(9000);
    assertThat(slices.longestNanos()).isZero();
    took(OperationType.SEARCH, 2000);
    took(OperationType.SEARCH, 1000);
    assertThat(slices.longestNanos()).isEqualTo(2000);
    assertThat(slices.times(OperationType.SEARCH).count()).isEqualTo(3);
    assertThat(slices.times(OperationType.BIND).count()).isEqualTo(1);
  }

  /** Replaced strategies must not leave counters behind each time. */
  @Test
  void shouldLetThreadsGoOnWithWhatThoseBeforeThemHaveCounted() throws InterruptedException {
    CountDownLatch end = new CountDownLatch(1);
    CountDownLatch counted = new CountDownLatch(1);
    Thread living =
        Thread.ofPlatform()
            .start(
                () -> {
                  took(OperationType.SEARCH, 1000);
                  counted.countDown();
                  Patience.await(end);
                });
    Patience.await(counted);
    for (int i = 0; i < 100; i++) {
      onThread(() -> took(OperationType.SEARCH, 1000));
    }
    assertThat(slices.threads()).isEqualTo(2);
    end.countDown();
    living.join();
    assertThat(slices.times(OperationType.SEARCH).count()).isEqualTo(101);
  }

  /** A thread that has lost its processor has a long slice, which costs the processor nothing. */
  @Test
  void shouldTellProcessorTimeFromTheClock() {
    long second = TimeUnit.SECONDS.toNanos(1);
    long begunNanos = System.nanoTime();
    slices.begins(begunNanos);
    slices.took(OperationType.SEARCH, begunNanos + second, second);
    assertThat(slices.longestNanos()).isEqualTo(second);
    assertThat(slices.takeLongestProcessorNanos()).isPositive().isLessThan(second / 2);
    assertThat(slices.longestProcessorNanos()).isZero();
  }

  @Test
  void shouldCountAllOfTheProcessorTimeOfASlice() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long begunNanos = System.nanoTime();
    slices.begins(begunNanos);
    long begunProcessorNanos = threads.getCurrentThreadCpuTime();
    while (threads.getCurrentThreadCpuTime() - begunProcessorNanos < 5_000_000) {
      Thread.onSpinWait();
    }
    long endNanos = System.nanoTime();
    slices.took(OperationType.SEARCH, endNanos, endNanos - begunNanos);
    assertThat(slices.longestProcessorNanos())
        .isBetween(5_000_000L, endNanos - begunNanos)
        .isEqualTo(slices.takeLongestProcessorNanos());
  }

  /** Those before it on the thread do not count as its own. */
  @Test
  void shouldLeaveOutOtherWorkOfTheThread() {
    slices.begins(System.nanoTime());
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long begunProcessorNanos = threads.getCurrentThreadCpuTime();
    while (threads.getCurrentThreadCpuTime() - begunProcessorNanos < 50_000_000) {
      Thread.onSpinWait();
    }
    long second = TimeUnit.SECONDS.toNanos(1);
    long begunNanos = System.nanoTime();
    slices.begins(begunNanos);
    slices.took(OperationType.SEARCH, begunNanos + second, second);
    assertThat(slices.longestProcessorNanos()).isLessThan(50_000_000);
  }

  /**
   * Memory that other work of the thread has allocated before does not count as the slice's own.
   */
  @Test
  void shouldCountWhatASliceAllocates() {
    long millisecond = TimeUnit.MILLISECONDS.toNanos(1);
    slices.begins(0);
    assertThat(allocate(8)).isEqualTo(8 << 20);
    slices.begins(millisecond);
    assertThat(allocate(2)).isEqualTo(2 << 20);
    assertThat(slices.allocated(2 * millisecond, millisecond)).isBetween(2L << 20, 3L << 20);
    assertThat(slices.allocated(2 * millisecond, 1000)).isZero();
    slices.begins(2 * millisecond);
    assertThat(slices.allocated(3 * millisecond, millisecond)).isLessThan(1 << 20);
  }

  private static int allocate(int mebibytes) {
    int sum = 0;
    for (int i = 0; i < mebibytes; i++) {
      sum += new byte[1 << 20].length;
    }
    return sum;
  }
}
