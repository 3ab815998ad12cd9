package org.nyala.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The test's own thread is an event loop, and those that it starts are others. */
class LoopPaceTest {
  private final LoopHistory one = new LoopHistory();
  private final LoopHistory other = new LoopHistory();
  private long nowNanos = Long.MAX_VALUE - 1_000_000;

  private LoopPace pace(int processors) {
    return new LoopPaces(processors, () -> nowNanos).ofThread();
  }

  private static LoopPace ofAnotherThread(LoopPaces paces) throws InterruptedException {
    AtomicReference<LoopPace> pace = new AtomicReference<>();
    Thread.ofPlatform().start(() -> pace.set(paces.ofThread())).join();
    return Objects.requireNonNull(pace.get());
  }

  private void isLong(LoopPace pace, LoopHistory history) {
    pace.wasLong(history, false, ++nowNanos);
  }

  private void areLong(LoopPace pace, LoopHistory history, int count) {
    for (int i = 0; i < count; i++) {
      isLong(pace, history);
    }
  }

  private boolean isUnhurried(LoopPace pace, LoopHistory history) {
    isLong(pace, history);
    return pace.isUnhurried(history, nowNanos);
  }

  @Test
  void shouldBeOneForEachThread() throws InterruptedException {
    LoopPaces paces = new LoopPaces(1, () -> nowNanos);
    assertThat(paces.ofThread()).isSameAs(paces.ofThread());
    assertThat(ofAnotherThread(paces)).isNotSameAs(paces.ofThread());
    assertThat(one.pace(paces)).isSameAs(paces.ofThread());
    LoopPaces others = new LoopPaces(1, () -> nowNanos);
    assertThat(one.pace(others)).as("of another strategy").isSameAs(others.ofThread());
  }

  @Test
  void shouldHurryUntilAConnectionHadSoManyLongOnesInARow() {
    LoopPace pace = pace(64);
    areLong(pace, one, LoopPace.ALONE - 1);
    assertThat(isUnhurried(pace, one)).isFalse();
    assertThat(isUnhurried(pace, one)).isTrue();
    assertThat(isUnhurried(pace, one)).isTrue();
  }

  @Test
  void shouldCountThoseThatWereKeptFromTheLoop() {
    LoopPace pace = pace(64);
    isLong(pace, one);
    for (int i = 1; i < LoopPace.ALONE; i++) {
      pace.wasKeptAway(one, false);
    }
    assertThat(isUnhurried(pace, one)).isTrue();
  }

  @Test
  void shouldStayUnhurriedWithShortOnesOfTheOnlyConnection() {
    LoopPace pace = pace(64);
    areLong(pace, one, LoopPace.ALONE);
    pace.wasShort(one);
    assertThat(isUnhurried(pace, one)).isTrue();
    pace.wasShort(other);
    assertThat(isUnhurried(pace, one)).isFalse();
  }

  @Test
  void shouldHurryAgainWithALongOneOfAnotherConnection() {
    LoopPace pace = pace(64);
    areLong(pace, one, LoopPace.ALONE);
    assertThat(isUnhurried(pace, other)).isFalse();
    assertThat(isUnhurried(pace, one)).isFalse();
  }

  @Test
  void shouldHurryWhileAClientWaitsForMoreThanOne() {
    LoopPace pace = pace(64);
    for (int i = 0; i < 100; i++) {
      pace.wasLong(one, i % LoopPace.ALONE == 0, ++nowNanos);
      assertThat(pace.isUnhurried(one, nowNanos)).isFalse();
    }
  }

  @Test
  void shouldHurryUntilAllWereLongForALongTime() {
    LoopPace pace = pace(1);
    nowNanos += LoopPace.ALL_LONG_NANOS - 3;
    assertThat(isUnhurried(pace, one)).isFalse();
    assertThat(isUnhurried(pace, other)).isFalse();
    assertThat(isUnhurried(pace, one)).isTrue();
    assertThat(isUnhurried(pace, other)).isTrue();
    pace.wasShort(one);
    assertThat(isUnhurried(pace, other)).isFalse();
    nowNanos += LoopPace.ALL_LONG_NANOS - 2;
    assertThat(isUnhurried(pace, one)).isFalse();
    assertThat(isUnhurried(pace, other)).isTrue();
  }

  @Test
  void shouldNotHurryForAShortOneAmongLongOnesOfTheSameConnection() {
    LoopPace pace = pace(1);
    areLong(pace, one, 20 * LoopHistory.MOSTLY_LONG);
    nowNanos += LoopPace.ALL_LONG_NANOS;
    for (int i = LoopHistory.MOSTLY_LONG; i > 0; i--) {
      pace.wasShort(one);
      assertThat(isUnhurried(pace, other)).isTrue();
    }
    pace.wasShort(one);
    assertThat(isUnhurried(pace, other)).as("it has short ones by now").isFalse();
  }

  @Test
  void shouldHurryForShortOnesOfAConnectionThatHasAsManyLongOnes() {
    LoopPace pace = pace(1);
    for (int i = 0; i < 100; i++) {
      nowNanos += LoopPace.ALL_LONG_NANOS;
      isLong(pace, one);
      pace.wasShort(one);
      assertThat(isUnhurried(pace, other)).isFalse();
    }
  }

  @Test
  void shouldHurryWhileAProcessorCouldTakeSomeOfTheLongOnes() throws InterruptedException {
    LoopPaces paces = new LoopPaces(2, () -> nowNanos);
    LoopPace first = paces.ofThread();
    LoopPace second = ofAnotherThread(paces);
    nowNanos += LoopPace.ALL_LONG_NANOS;
    isLong(first, other);
    assertThat(isUnhurried(first, one)).isFalse();
    isLong(second, other);
    isLong(first, other);
    assertThat(isUnhurried(first, one)).isTrue();
    nowNanos += LoopPaces.RECENT_NANOS;
    isLong(first, other);
    assertThat(isUnhurried(first, one)).as("the other loop has none any more").isFalse();
  }
}
