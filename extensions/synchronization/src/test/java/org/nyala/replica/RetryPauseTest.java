package org.nyala.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class RetryPauseTest {
  @Test
  void growsToItsBoundAndBeginsAgain() {
    RetryPause pause = new RetryPause(1000, 60_000, new Random(1));
    long expected = 1000;
    for (int i = 0; i < 10; i++) {
      assertThat(pause.next()).isBetween(expected / 2, expected);
      expected = Math.min(60_000, 2 * expected);
    }
    pause.reset();
    assertThat(pause.next()).isBetween(500L, 1000L);
    assertThat(pause.longest()).isBetween(30_000L, 60_000L);
    assertThat(pause.next()).isBetween(30_000L, 60_000L);
  }
}
