package org.nyala.core.budget;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CollectionPaceTest {
  private static final long MAXIMUM = 1600;
  private static final long TOOK = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final CollectionPace pace = new CollectionPace(5);

  @Test
  void shouldTakeAFiftiethOfTheTime() {
    assertThat(pace.isDue(5)).isTrue();
    pace.collected(10, TOOK, 800, MAXIMUM);
    assertThat(pace.isDue(10 + SECOND - 1)).isFalse();
    assertThat(pace.isDue(10 + SECOND)).isTrue();
  }

  @Test
  void shouldWaitLongerAsLongAsTheSameIsFound() {
    pace.collected(0, TOOK, 800, MAXIMUM);
    pace.collected(0, TOOK, 850, MAXIMUM);
    assertThat(pace.isDue(2 * SECOND - 1)).isFalse();
    for (int i = 0; i < 10; i++) {
      pace.collected(0, TOOK, 850, MAXIMUM);
    }
    assertThat(pace.isDue(60 * SECOND - 1)).isFalse();
    assertThat(pace.isDue(60 * SECOND)).isTrue();
    pace.collected(0, TOOK, 1000, MAXIMUM);
    assertThat(pace.isDue(SECOND)).isTrue();
  }
}
