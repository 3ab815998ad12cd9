package org.nyala.dynamic;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.dynamic.ExpiryQueue.Due;

class ExpiryQueueTest {
  private static final long SEED = Seeds.seed();
  private static final int STEPS = 6_000;

  private final ExpiryQueue queue = new ExpiryQueue();

  @Test
  void shouldKeepWhatAnyOtherMapKeeps() {
    Random random = new Random(SEED);
    Map<Long, Long> expected = new TreeMap<>();
    for (int step = 0; step < STEPS; step++) {
      // Ids that are close together, and ids whose slots are.
      long id = random.nextBoolean() ? random.nextInt(700) : (long) random.nextInt(300) << 40;
      long second = random.nextInt(500) - 1L;
      switch (random.nextInt(6)) {
        case 0, 1, 2 -> {
          queue.put(id, second);
          expected.put(id, second);
        }
        case 3 -> {
          long before = random.nextBoolean() ? second : expected.getOrDefault(id, second);
          queue.replace(id, before, second + 1);
          expected.computeIfPresent(id, (_, at) -> at == before ? second + 1 : at);
        }
        case 4 -> {
          queue.replace(id, second, ExpiryQueue.ABSENT);
          expected.computeIfPresent(id, (_, at) -> at == second ? null : at);
        }
        default -> {
          queue.remove(id);
          expected.remove(id);
        }
      }
      check(id, second, expected, "seed " + SEED + " step " + step);
    }
    for (long id : List.copyOf(expected.keySet())) {
      queue.remove(id);
    }
    assertThat(queue.size()).isZero();
    assertThat(queue.nextSecond()).isEqualTo(ExpiryQueue.ABSENT);
  }

  private void check(long id, long second, Map<Long, Long> expected, String context) {
    assertThat(queue.size()).as(context).isEqualTo(expected.size());
    assertThat(queue.atSecond(id))
        .as(context)
        .isEqualTo(expected.getOrDefault(id, ExpiryQueue.ABSENT));
    assertThat(queue.nextSecond())
        .as(context)
        .isEqualTo(
            expected.values().stream().mapToLong(Long::longValue).min().orElse(ExpiryQueue.ABSENT));
    if (id % 16 == 0) {
      List<Due> due =
          expected.entrySet().stream()
              .filter(entry -> entry.getValue() <= second)
              .map(ExpiryQueueTest::due)
              .toList();
      List<Due> all = queue.due(second, 1100);
      assertThat(all).as(context).hasSize(due.size());
      assertThat(new HashSet<>(all)).as(context).isEqualTo(new HashSet<>(due));
      List<Due> some = queue.due(second, 7);
      assertThat(some).as(context).hasSize(Math.min(7, due.size())).isSubsetOf(all);
    }
  }

  private static Due due(Map.Entry<Long, Long> entry) {
    return new Due(entry.getKey(), entry.getValue());
  }
}
