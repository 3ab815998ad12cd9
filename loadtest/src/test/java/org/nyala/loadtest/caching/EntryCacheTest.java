package org.nyala.loadtest.caching;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;

class EntryCacheTest {
  private static byte[] record(long id) {
    return ByteBuffer.allocate(Long.BYTES).putLong(id).array();
  }

  @Test
  void shouldKeepWhatIsUsedAndNoMoreThanItMay() {
    EntryCache cache = new EntryCache(10);
    for (long id = 1; id <= 100; id++) {
      cache.put(id, record(id));
      assertThat(cache.get(1)).as("in use, with %d", id).isEqualTo(record(1));
      assertThat(cache.size()).isLessThanOrEqualTo(10);
    }
    assertThat(cache.size()).isEqualTo(10);
    assertThat(cache.get(100)).isEqualTo(record(100));
    assertThat(cache.get(50)).isNull();
  }

  @Test
  void shouldKeepNothingIfItMayNot() {
    EntryCache cache = new EntryCache(0);
    cache.put(1, record(1));
    assertThat(cache.get(1)).isNull();
  }

  @Test
  void shouldStayWithinItsBoundUnderManyThreads() throws Exception {
    EntryCache cache = new EntryCache(64);
    long seed = Seeds.seed();
    List<Future<?>> threads = new ArrayList<>();
    try (ExecutorService executor = Executors.newFixedThreadPool(4)) {
      for (int thread = 0; thread < 4; thread++) {
        SplittableRandom random = new SplittableRandom(seed + thread);
        threads.add(executor.submit(() -> storm(cache, random)));
      }
      for (Future<?> thread : threads) {
        thread.get();
      }
    }
    assertThat(cache.size()).as("test.seed=%d", seed).isEqualTo(64);
  }

  private static void storm(EntryCache cache, SplittableRandom random) {
    for (int i = 0; i < 20_000; i++) {
      long id = random.nextInt(200);
      byte[] found = cache.get(id);
      if (found == null) {
        cache.put(id, record(id));
      } else {
        assertThat(ByteBuffer.wrap(found).getLong()).isEqualTo(id);
      }
      assertThat(cache.size()).isLessThanOrEqualTo(65);
    }
  }
}
