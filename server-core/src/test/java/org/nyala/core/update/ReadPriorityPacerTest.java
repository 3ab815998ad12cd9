package org.nyala.core.update;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ReadPriorityPacerTest {
  private static final long MILLISECOND = 1_000_000;
  private static final double TENTH = 0.1;
  private static final long LONGEST_REST_NANOS = 20_000_000;
  private static final int TURNS = 20;

  private long nowNanos = 5;
  private long completed = 7;
  private ProcessorUse use = new ProcessorUse(11, 13);
  private final ReadPriorityPacer pace =
      new ReadPriorityPacer(TENTH, LONGEST_REST_NANOS, () -> completed, () -> nowNanos, () -> use);

  /**
   * Simulates one commit of 10 updates that takes 3 ms, of which the writer runs for one; then a
   * rest.
   */
  private long commit(long waitedMillis, int reads) {
    nowNanos += 3 * MILLISECOND;
    use =
        new ProcessorUse(
            use.ranNanos() + MILLISECOND, use.waitedNanos() + waitedMillis * MILLISECOND);
    completed += reads + 10;
    long rest = pace.restNanos(10);
    nowNanos += rest;
    return rest;
  }

  private long afterSeveral(long waitedMillis, int reads) {
    long rest = -1;
    for (int i = 0; i < TURNS; i++) {
      rest = commit(waitedMillis, reads);
    }
    return rest;
  }

  @Test
  void shouldRestUntilTheWriterHasHadItsShareWhereReadsWantTheProcessors() {
    assertThat(afterSeveral(1, 1_000)).isEqualTo(7 * MILLISECOND);
  }

  @Test
  void shouldNotRestWhileProcessorsAreFree() {
    assertThat(afterSeveral(0, 1_000)).isZero();
  }

  @Test
  void shouldNotRestWhereThereAreHardlyAnyReads() {
    assertThat(afterSeveral(2, 20)).isZero();
  }

  @Test
  void shouldNotRestForOneCrowdedMoment() {
    afterSeveral(0, 1_000);
    assertThat(commit(1, 1_000)).isZero();
  }

  @Test
  void shouldStopRestingWhenReadsEnd() {
    assertThat(afterSeveral(1, 1_000)).isPositive();
    assertThat(afterSeveral(1, 0)).isZero();
  }

  @Test
  void shouldForgetSoonHowMuchWasReadBeforeTheFirstUpdates() {
    nowNanos += 3_600_000 * MILLISECOND;
    completed += 1_000_000_000;
    int rests = 0;
    for (int i = 0; i < TURNS; i++) {
      rests += commit(1, 0) > 0 ? 1 : 0;
    }
    assertThat(rests).isLessThan(8);
  }

  @Test
  void shouldNotRestAfterAPauseInWhichNothingWasWritten() {
    afterSeveral(1, 1_000);
    nowNanos += 50 * MILLISECOND;
    assertThat(commit(1, 1_000)).isZero();
  }

  @Test
  void shouldBoundTheRestAfterALongCommit() {
    afterSeveral(1, 1_000);
    nowNanos += 900 * MILLISECOND;
    use =
        new ProcessorUse(use.ranNanos() + 900 * MILLISECOND, use.waitedNanos() + 900 * MILLISECOND);
    completed += 1_000_000;
    assertThat(pace.restNanos(10)).isEqualTo(LONGEST_REST_NANOS);
  }

  @Test
  void shouldRefuseAShareOfNothing() {
    assertThatThrownBy(
            () -> new ReadPriorityPacer(0, LONGEST_REST_NANOS, () -> 0, () -> 0, () -> use))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
