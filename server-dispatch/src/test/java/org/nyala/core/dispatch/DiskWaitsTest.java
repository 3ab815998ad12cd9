package org.nyala.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;

/** Tests the balance of waits. */
class DiskWaitsTest {
  private final DiskWaits waits = new DiskWaits(DiskWaits.MOST_MICROS);

  @Test
  void shouldBeClearWithoutWaits() {
    waits.didNotWait();
    assertThat(waits.isClear()).isTrue();
    assertThat(waits.isAway()).isFalse();
  }

  @Test
  void shouldStayBelowTheBound() {
    waits.waited((DiskWaits.AWAY_MICROS - 1) * 1_000L);
    assertThat(waits.isAway()).isFalse();
    assertThat(waits.isClear()).isFalse();
    waits.waited(1_000);
    assertThat(waits.isAway()).isTrue();
  }

  @Test
  void shouldCountWaitsWithoutEndAsTheLongestOne() {
    for (int i = 0; i < 10; i++) {
      waits.waited(Long.MAX_VALUE);
    }
    for (int i = 1; i < DiskWaits.MOST_MICROS / DiskWaits.CHANGE_MICROS; i++) {
      waits.didNotWait();
      assertThat(waits.isAway()).isTrue();
    }
    waits.didNotWait();
    assertThat(waits.isAway()).isFalse();
    assertThat(waits.isClear()).isTrue();
  }

  private int cleanUntilBack() {
    int count = 0;
    while (waits.isAway()) {
      waits.didNotWait();
      count++;
    }
    return count;
  }

  private void trustAgain() {
    for (int i = 0; i < 4 * DiskWaits.HALVED_BY; i++) {
      waits.didNotWait();
    }
  }

  @Test
  void shouldKeepAwayForTwiceAsLongWithEachWaitInSuccession() {
    int[] operations = {40, 80, 160, 320, 320};
    for (int count = 1; count <= operations.length; count++) {
      for (int i = 0; i < count; i++) {
        waits.waited(Long.MAX_VALUE);
      }
      assertThat(cleanUntilBack()).as("%d waits", count).isEqualTo(operations[count - 1]);
      trustAgain();
    }
  }

  /** Compares with a sum, a flag and a limit. */
  @RepeatedTest(20)
  void shouldBeTheSumOfAllWaitsLessThePriceOfAllOthers() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    long micros = 0;
    int trust = 64;
    boolean isAway = false;
    for (int i = 0; i < 5_000; i++) {
      if (random.nextInt(20) == 0) {
        long wait = random.nextInt(2_000);
        waits.waited(wait * 1_000);
        trust = Math.max(trust - 16, 0);
        long limit = Math.max(16_000 >> trust / 16, 1_000);
        micros = Math.max(micros, Math.min(micros + wait, limit));
        isAway |= micros >= 1_000;
      } else {
        waits.didNotWait();
        trust = Math.min(trust + 1, 64);
        micros = Math.max(micros - 50, 0);
        isAway &= micros > 0;
      }
      assertThat(waits.isAway()).as("seed %d, step %d", seed, i).isEqualTo(isAway);
      assertThat(waits.isClear()).as("seed %d, step %d", seed, i).isEqualTo(micros == 0);
    }
  }
}
