package org.nyala.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The pauses between connections, and the memory of failures, over time. */
class AttemptsTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private Instant now = Instant.EPOCH;
  private final Attempts attempts =
      new Attempts("a copy", () -> now, new RetryPause(1000, 60_000, new SplittableRandom(1)));

  @Test
  void aProviderThatKeepsAskingForRefreshesIsAskedLessAndLess() {
    long paused = 0;
    long nanos = 0;
    for (int i = 0; i < 10; i++) {
      attempts.begin();
      // It follows for a moment each time.
      attempts.following(nanos += SECOND);
      attempts.following(nanos += SECOND);
      long pause = attempts.refreshWanted("again");
      paused += pause;
      if (i == 0) {
        assertThat(pause).isZero();
        assertThat(attempts.last().error()).isEmpty();
      }
    }
    assertThat(paused).isGreaterThan(100_000);
    assertThat(attempts.count()).isEqualTo(10);
    assertThat(attempts.last().error()).contains("another refresh: again");
    assertThat(attempts.last().at()).isEqualTo(now);
  }

  @Test
  void aMinuteOfFollowingIsForgiven() {
    attempts.begin();
    assertThat(attempts.failed("gone", true, null)).isGreaterThanOrEqualTo(30_000);
    attempts.begin();
    attempts.following(0);
    attempts.following(Attempts.STEADY_NANOS - 1);
    assertThat(attempts.last().error()).isEqualTo("gone");
    attempts.following(Attempts.STEADY_NANOS);
    assertThat(attempts.last()).isEqualTo(new Attempts.Failure("", null));
    assertThat(attempts.count()).isZero();
    attempts.begin();
    assertThat(attempts.refreshWanted("once")).isZero();
    assertThat(attempts.failed("gone", false, null)).isLessThanOrEqualTo(1000);
  }
}
