package org.nyala.core.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;

/** Compares sets of entry ids with ordinary ones, around the borders of pages. */
class EntryIdsTest {
  private static long id(Random random) {
    long page = (long) random.nextInt(4) << 16;
    return Math.max(1, page + random.nextInt(6) - 3);
  }

  @Test
  void holdsWhatASetHolds() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    EntryIds ids = new EntryIds();
    TreeSet<Long> wanted = new TreeSet<>();
    for (int round = 0; round < 3000; round++) {
      long id = id(random);
      if (random.nextInt(3) > 0) {
        ids.add(id);
        wanted.add(id);
      } else {
        ids.remove(id);
        wanted.remove(id);
      }
      String what = "seed " + seed + " round " + round;
      assertThat(ids.size()).as(what).isEqualTo(wanted.size());
      assertThat(ids.contains(id)).as(what).isEqualTo(wanted.contains(id));
      long bound = random.nextInt(5) == 0 ? Long.MAX_VALUE : id(random);
      int most = 1 + random.nextInt(8);
      assertThat(ids.below(bound, most))
          .as(what)
          .containsExactly(
              wanted.headSet(bound, false).descendingSet().stream()
                  .limit(most)
                  .mapToLong(Long::longValue)
                  .toArray());
    }
    EntryIds copy = new EntryIds();
    copy.addAll(ids);
    assertThat(copy.size()).isEqualTo(wanted.size());
    copy.clear();
    assertThat(copy.below(Long.MAX_VALUE, 1)).isEmpty();
  }
}
