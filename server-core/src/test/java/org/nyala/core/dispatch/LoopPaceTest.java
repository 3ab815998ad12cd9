package org.nyala.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The test's own thread is all event loops, one after the other. */
class LoopPaceTest {
  private final LoopHistory one = new LoopHistory();
  private final LoopHistory other = new LoopHistory();
  private long nowNanos = Long.MAX_VALUE - 1_000_000;

  private LoopPace pace(int processors) {
    return new LoopPaces(processors, () -> nowNanos).ofThread();
  }

  private void longOnes(LoopPace pace, int count) {
    for (int i = 0; i < count; i++) {
      pace.wasLong(i % 2 == 0 ? one : other, false, ++nowNanos);
    }
  }

  private void longOnesAlone(LoopPace pace, int count) {
    for (int i = 0; i < count; i++) {
      pace.wasLong(one, false, ++nowNanos);
    }
  }

  @Test
  void shouldBeOneForEachThread() {
    LoopPaces paces = new LoopPaces(1, () -> nowNanos);
    assertThat(paces.ofThread()).isSameAs(paces.ofThread());
    assertThat(CompletableFuture.supplyAsync(paces::ofThread).join()).isNotSameAs(paces.ofThread());
    assertThat(one.pace(paces)).isSameAs(paces.ofThread());
    LoopPaces others = new LoopPaces(1, () -> nowNanos);
    assertThat(one.pace(others)).as("of another strategy").isSameAs(others.ofThread());
  }

  @Test
  void shouldHurryUntilAConnectionHadSoManyLongOnesInARow() {
    LoopPace pace = pace(64);
    assertThat(pace.isUnhurried(one)).isFalse();
    longOnesAlone(pace, LoopPace.ALONE);
    assertThat(pace.isUnhurried(one)).isFalse();
    longOnesAlone(pace, 1);
    assertThat(pace.isUnhurried(one)).isTrue();
    assertThat(pace.isUnhurried(other)).isFalse();
  }

  @Test
  void shouldStayUnhurriedWithShortOnesOfTheOnlyConnection() {
    LoopPace pace = pace(64);
    longOnesAlone(pace, LoopPace.ALONE + 1);
    pace.wasShort(one);
    assertThat(pace.isUnhurried(one)).isTrue();
    pace.wasShort(other);
    assertThat(pace.isUnhurried(one)).isFalse();
  }

  @Test
  void shouldHurryAgainWithALongOneOfAnotherConnection() {
    LoopPace pace = pace(64);
    longOnesAlone(pace, LoopPace.ALONE + 1);
    pace.wasLong(other, false, ++nowNanos);
    assertThat(pace.isUnhurried(one)).isFalse();
    assertThat(pace.isUnhurried(other)).isFalse();
  }

  @Test
  void shouldHurryWhileAClientWaitsForMoreThanOne() {
    LoopPace pace = pace(64);
    for (int i = 0; i < 100; i++) {
      pace.wasLong(one, i % LoopPace.ALONE == 0, ++nowNanos);
      assertThat(pace.isUnhurried(one)).isFalse();
    }
  }

  @Test
  void shouldHurryUntilAllWereLongForALongTime() {
    LoopPace pace = pace(1);
    longOnes(pace, LoopPace.ALL_LONG - 1);
    assertThat(pace.isUnhurried(one)).isFalse();
    longOnes(pace, 1);
    assertThat(pace.isUnhurried(one)).isTrue();
    assertThat(pace.isUnhurried(new LoopHistory())).isTrue();
    pace.wasShort(one);
    assertThat(pace.isUnhurried(one)).isFalse();
    longOnes(pace, LoopPace.ALL_LONG - 1);
    assertThat(pace.isUnhurried(one)).isFalse();
  }

  @Test
  void shouldHurryWhileAProcessorCouldTakeSomeOfTheLongOnes() {
    LoopPaces paces = new LoopPaces(2, () -> nowNanos);
    LoopPace first = paces.ofThread();
    LoopPace second = CompletableFuture.supplyAsync(paces::ofThread).join();
    longOnes(first, LoopPace.ALL_LONG);
    assertThat(first.isUnhurried(one)).isFalse();
    longOnes(second, 1);
    assertThat(first.isUnhurried(one)).isTrue();
    nowNanos += LoopPaces.RECENT_NANOS;
    longOnes(first, 1);
    assertThat(first.isUnhurried(one)).as("the other loop has nothing to do").isFalse();
  }
}
