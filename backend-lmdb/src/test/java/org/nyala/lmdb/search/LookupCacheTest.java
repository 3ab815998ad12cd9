package org.nyala.lmdb.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Seeds;
import org.nyala.lmdb.env.StoreException;

class LookupCacheTest {
  private static LookupKey point(String key) {
    LookupKey point = new LookupKey();
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    assertThat(point.take(bytes, bytes.length)).isTrue();
    return point;
  }

  private static void remember(
      LookupCache table, LookupKey point, long snapshot, long id, long at) {
    point.found(id, at, (int) at + 1);
    table.remember(point, snapshot);
  }

  @Test
  void shouldFindWhatItRemembersInTheSameSnapshotOnly() {
    LookupCache table = new LookupCache(64);
    assertThat(table.find(point("a"), 7)).isFalse();
    remember(table, point("a"), 7, 11, 13);
    LookupKey found = point("a");
    assertThat(table.find(found, 7)).isTrue();
    assertThat(found.entryId()).isEqualTo(11);
    assertThat(found.address()).isEqualTo(13);
    assertThat(found.recordLength()).isEqualTo(14);
    assertThat(table.find(point("a"), 6)).isFalse();
    assertThat(table.find(point("a"), 8)).isFalse();
    remember(table, point("a"), 8, 17, 19);
    assertThat(table.find(point("a"), 7)).isFalse();
    assertThat(table.find(found, 8)).isTrue();
    assertThat(found.entryId()).isEqualTo(17);
  }

  @Test
  void shouldForgetWhereTheMapMoves() {
    LookupCache table = new LookupCache(64);
    table.forget();
    remember(table, point("a"), 7, 11, 13);
    table.forget();
    assertThat(table.find(point("a"), 7)).isFalse();
    remember(table, point("a"), 7, 17, 19);
    assertThat(table.find(point("a"), 7)).isTrue();
  }

  @Test
  void shouldNotTakeOneKeyForAnotherThatHasTheSameSlots() {
    List<String> keys = List.of("a", "a\0", "b", "a".repeat(87), "a".repeat(88), "aaaaaaaab");
    for (String remembered : keys) {
      LookupCache table = new LookupCache(2);
      remember(table, point(remembered), 7, remembered.hashCode(), 1);
      for (String key : keys) {
        assertThat(table.find(point(key), 7)).isEqualTo(key.equals(remembered));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 1000, 1 << 16})
  void shouldRememberMostOfAsManyAsItHasSlots(int slots) {
    LookupCache table = new LookupCache(slots);
    for (int i = 0; i < slots; i++) {
      remember(table, point("key " + i), 7, i, i);
    }
    int found = 0;
    for (int i = 0; i < slots; i++) {
      LookupKey point = point("key " + i);
      boolean isFound = table.find(point, 7);
      found += isFound ? 1 : 0;
      assertThat(!isFound || point.entryId() == i).isTrue();
    }
    // Of n keys in n slots, two for each pair of them, 1 - 2/e² remain if the hash spreads well.
    assertThat(found).isGreaterThanOrEqualTo(Math.max(1, slots * 7 / 10));
  }

  @Test
  void shouldKeepWhatCameLast() {
    LookupCache table = new LookupCache(2);
    for (int i = 0; i < 100; i++) {
      remember(table, point("key " + i), 7, i, i);
      assertThat(table.find(point("key " + i), 7)).isTrue();
    }
  }

  @Test
  void shouldRefuseToBeOfNoOrAnyUse() {
    assertThatThrownBy(() -> new LookupCache(0)).hasMessage("0 slots are not in 1..1048576");
    assertThatThrownBy(() -> new LookupCache((1 << 20) + 1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldSayWhenTheHeapIsTooSmall() {
    assertThat(LookupCache.of(0, 1)).isNull();
    assertThat(LookupCache.of(1 << 10, 1 << 19)).isNotNull();
    assertThatThrownBy(() -> LookupCache.of((1 << 10) + 1, 1 << 19))
        .as("the next power of two counts")
        .isInstanceOf(StoreException.class);
    assertThatThrownBy(() -> LookupCache.of(1 << 20, 500 << 20))
        .isInstanceOf(StoreException.class)
        .hasMessage(
            "1048576 searches to remember take 128 MiB, more than a quarter of the heap of 500 MiB:"
                + " lower nyala.store.rememberedSearches, or raise the heap with -Xmx");
  }

  /** Four threads write and read two slots: none finds parts that were not written together. */
  @Test
  void shouldNeverShowHalfOfWhatIsBeingRemembered() throws InterruptedException {
    long seed = Seeds.seed();
    LookupCache table = new LookupCache(2);
    AtomicLong found = new AtomicLong();
    AtomicLong torn = new AtomicLong();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Random random = new Random(seed + i);
      threads.add(Thread.ofPlatform().start(() -> hammer(table, random, found, torn)));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(torn).as("seed %d", seed).hasValue(0);
    assertThat(found).as("seed %d", seed).hasPositiveValue();
  }

  private static void hammer(LookupCache table, Random random, AtomicLong found, AtomicLong torn) {
    List<LookupKey> points = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      // Keys of different lengths, and of the same length with a difference in the last word.
      points.add(point("key ".repeat(1 + i % 3 * 7) + i));
    }
    for (int round = 0; round < 400_000; round++) {
      int number = random.nextInt(points.size());
      LookupKey point = points.get(number);
      long snapshot = random.nextInt(3);
      if (random.nextInt(4) == 0) {
        long extra = random.nextInt();
        point.found(together(number, snapshot, extra), extra, (int) extra);
        table.remember(point, snapshot);
      } else if (table.find(point, snapshot)) {
        found.incrementAndGet();
        boolean isWhole = point.recordLength() == (int) point.address();
        if (!isWhole || point.entryId() != together(number, snapshot, point.address())) {
          torn.incrementAndGet();
        }
      }
    }
  }

  private static long together(int number, long snapshot, long address) {
    return (address * 31 + snapshot) * 31 + number;
  }
}
