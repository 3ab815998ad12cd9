package org.nyala.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Tests with the test's own thread as one event loop and started threads as others. */
class LoopLoadTest {
  private final ConnectionLoopHistory one = new ConnectionLoopHistory();
  private final ConnectionLoopHistory other = new ConnectionLoopHistory();
  private long nowNanos = Long.MAX_VALUE - 1_000_000;

  private LoopLoad pace(int processors) {
    return new LoopLoads(processors, () -> nowNanos).ofThread();
  }

  private static LoopLoad ofAnotherThread(LoopLoads paces) throws InterruptedException {
    AtomicReference<LoopLoad> pace = new AtomicReference<>();
    Thread.ofPlatform().start(() -> pace.set(paces.ofThread())).join();
    return Objects.requireNonNull(pace.get());
  }

  private void isLong(LoopLoad pace, ConnectionLoopHistory history) {
    pace.wasLong(history, ++nowNanos);
  }

  private void areLong(LoopLoad pace, ConnectionLoopHistory history, int count) {
    for (int i = 0; i < count; i++) {
      isLong(pace, history);
    }
  }

  private boolean isUnhurried(LoopLoad pace, ConnectionLoopHistory history) {
    isLong(pace, history);
    return pace.isUnhurried(nowNanos);
  }

  @Test
  void shouldBeOneForEachThread() throws InterruptedException {
    LoopLoads paces = new LoopLoads(1, () -> nowNanos);
    assertThat(paces.ofThread()).isSameAs(paces.ofThread());
    assertThat(ofAnotherThread(paces)).isNotSameAs(paces.ofThread());
    assertThat(one.pace(paces)).isSameAs(paces.ofThread());
    LoopLoads others = new LoopLoads(1, () -> nowNanos);
    assertThat(one.pace(others)).as("of another strategy").isSameAs(others.ofThread());
  }

  @Test
  void shouldHurryUntilAllWereLongForALongTime() {
    LoopLoad pace = pace(1);
    nowNanos += LoopLoad.ALL_LONG_NANOS - 3;
    assertThat(isUnhurried(pace, one)).isFalse();
    assertThat(isUnhurried(pace, other)).isFalse();
    assertThat(isUnhurried(pace, one)).isTrue();
    assertThat(isUnhurried(pace, other)).isTrue();
    pace.wasShort(one);
    assertThat(isUnhurried(pace, other)).isFalse();
    nowNanos += LoopLoad.ALL_LONG_NANOS - 2;
    assertThat(isUnhurried(pace, one)).isFalse();
    assertThat(isUnhurried(pace, other)).isTrue();
  }

  @Test
  void shouldNotHurryForAShortOneAmongLongOnesOfTheSameConnection() {
    LoopLoad pace = pace(1);
    areLong(pace, one, 20 * ConnectionLoopHistory.MOSTLY_LONG);
    nowNanos += LoopLoad.ALL_LONG_NANOS;
    for (int i = ConnectionLoopHistory.MOSTLY_LONG; i > 0; i--) {
      pace.wasShort(one);
      assertThat(isUnhurried(pace, other)).isTrue();
    }
    pace.wasShort(one);
    assertThat(isUnhurried(pace, other)).as("the other loop has short tasks by now").isFalse();
  }

  @Test
  void shouldHurryForShortOnesOfAConnectionThatHasAsManyLongOnes() {
    LoopLoad pace = pace(1);
    for (int i = 0; i < 100; i++) {
      nowNanos += LoopLoad.ALL_LONG_NANOS;
      isLong(pace, one);
      pace.wasShort(one);
      assertThat(isUnhurried(pace, other)).isFalse();
    }
  }

  @Test
  void shouldHurryWhileAProcessorCouldTakeSomeOfTheLongOnes() throws InterruptedException {
    LoopLoads paces = new LoopLoads(2, () -> nowNanos);
    LoopLoad first = paces.ofThread();
    LoopLoad second = ofAnotherThread(paces);
    nowNanos += LoopLoad.ALL_LONG_NANOS;
    isLong(first, other);
    assertThat(isUnhurried(first, one)).isFalse();
    isLong(second, other);
    isLong(first, other);
    assertThat(isUnhurried(first, one)).isTrue();
    nowNanos += LoopLoads.RECENT_NANOS;
    isLong(first, other);
    assertThat(isUnhurried(first, one)).as("the other loop has no short tasks any more").isFalse();
  }
}
