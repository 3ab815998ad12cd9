package org.nyala.core.operation.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.operation.sync.SyncUpdate.LastDeletions;

final class LastDeletionsTest {
  @Test
  void shouldFindTheLastOneOfThoseThatAreYounger() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      LastDeletions last = new LastDeletions();
      List<long[]> all = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        long id = random.nextInt(20);
        long asked = random.nextInt(-1, 21);
        assertThat(last.ofYounger(asked))
            .as("seed %d", seed)
            .isEqualTo(all.stream().filter(e -> e[0] > asked).mapToLong(e -> e[1]).max().orElse(0));
        long time = random.nextLong(1, 31);
        last.add(id, time);
        all.add(new long[] {id, time});
      }
    }
  }
}
