package org.nyala.core.operation.list;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.backend.ValueOrder;
import org.nyala.core.directory.PageSeals;
import org.nyala.core.directory.SortedList;
import org.nyala.core.directory.SortedListCache;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.search.PagePosition;

/** Tests the parts that lists are made of. */
final class SortingTest {
  private static final long SEED = Seeds.seed();

  private record Keyed(byte[] key, long id) {}

  @Test
  void shouldSortByKeysInStepsOfAnySize() {
    Random random = new Random(SEED);
    for (int round = 0; round < 60; round++) {
      KeySort sort = new KeySort();
      List<Keyed> expected = new ArrayList<>();
      int size = round < 4 ? round : random.nextInt(700);
      for (int i = 0; i < size; i++) {
        byte[] key = new byte[random.nextInt(12)];
        for (int k = 0; k < key.length; k++) {
          key[k] = (byte) (k < 8 ? random.nextInt(2) * 0xff : random.nextInt());
        }
        long id = random.nextInt(50);
        sort.keys().append(key);
        sort.add(id);
        expected.add(new Keyed(key, id));
      }
      expected.sort(
          Comparator.comparing(Keyed::key, Arrays::compareUnsigned).thenComparingLong(Keyed::id));
      sort.begin();
      int moves = 1 + random.nextInt(50);
      int steps = 0;
      while (!sort.step(moves)) {
        assertThat(++steps).isLessThan(100_000);
      }
      assertThat(sort.sorted())
          .as("-Dtest.seed=%d round %d", SEED, round)
          .containsExactly(expected.stream().mapToLong(Keyed::id).toArray());
    }
  }

  /** The pairs of an index in memory. */
  private static final class Pairs implements ValueOrder {
    private final List<long[]> pairs;
    private final int resumedAt;
    private int at;

    Pairs(List<long[]> pairs, byte[] position) {
      this.pairs = pairs;
      resumedAt = position.length == 0 ? -1 : ByteBuffer.wrap(position).getInt();
      at = Math.max(-1, resumedAt - 1);
    }

    @Override
    public boolean next() {
      at++;
      return at < pairs.size();
    }

    @Override
    public long entryId() {
      return pairs.get(at)[1];
    }

    @Override
    public boolean startsValue() {
      // The last pair is repeated.
      return at != resumedAt && (at == 0 || pairs.get(at)[0] != pairs.get(at - 1)[0]);
    }

    @Override
    public byte[] position() {
      return ByteBuffer.allocate(4).putInt(at).array();
    }
  }

  @Test
  void shouldSortByAnIndexHoweverItIsSliced() {
    Random random = new Random(SEED);
    for (int round = 0; round < 200; round++) {
      boolean reverse = random.nextBoolean();
      TreeMap<Long, Long> least = new TreeMap<>();
      List<long[]> pairs = new ArrayList<>();
      List<Long> ids = new ArrayList<>();
      for (long id = 1; id < 60; id++) {
        boolean isWanted = random.nextInt(3) > 0;
        if (isWanted) {
          ids.add(id);
        }
        for (int values = random.nextInt(3); values > 0; values--) {
          long value = random.nextInt(12);
          pairs.add(new long[] {value, id});
          if (isWanted) {
            least.merge(id, value, Math::min);
          }
        }
      }
      // Entries with equal values may be in any order.
      Collections.shuffle(pairs, random);
      pairs.sort(Comparator.comparingLong((long[] pair) -> pair[0]));
      Comparator<Long> order =
          Comparator.comparing(
              (Long id) -> least.getOrDefault(id, Long.MAX_VALUE),
              reverse ? Comparator.reverseOrder() : Comparator.naturalOrder());
      List<Long> expected = new ArrayList<>(ids);
      expected.sort(order.thenComparing(Comparator.naturalOrder()));
      long[] wanted = ids.stream().mapToLong(Long::longValue).toArray();
      IndexSort sort = new IndexSort(wanted, reverse);
      Pairs walk = new Pairs(pairs, sort.position());
      while (!sort.step(walk, 1 + random.nextInt(20))) {
        if (random.nextBoolean()) {
          sort.pause(walk);
          walk = new Pairs(pairs, sort.position());
        }
      }
      assertThat(sort.sorted())
          .as("-Dtest.seed=%d round %d", SEED, round)
          .containsExactly(expected.stream().mapToLong(Long::longValue).toArray());
    }
  }

  @Test
  void shouldGiveUpOnAnIndexThatIsMuchLarger() {
    List<long[]> pairs = new ArrayList<>();
    for (long id = 0; id < 100; id++) {
      pairs.add(new long[] {id, id});
    }
    IndexSort sort = new IndexSort(new long[] {90, 91, 92}, false);
    Pairs walk = new Pairs(pairs, sort.position());
    assertThat(sort.step(walk, 24)).isFalse();
    assertThat(sort.isTooLong()).isFalse();
    assertThat(sort.step(walk, 1)).isFalse();
    assertThat(sort.isTooLong()).isTrue();
  }

  private static SortedList view(SortedListCache cache, int search, int size) {
    return new SortedList(
        cache.nextId(), new byte[] {(byte) search}, null, new long[size], new long[0], 1, 0, null);
  }

  @Test
  void shouldDropWhatWasUnusedLongest() {
    SortedListCache cache = new SortedListCache(3 * (256 + 800));
    SortedList one = view(cache, 1, 100);
    SortedList two = view(cache, 2, 100);
    SortedList three = view(cache, 3, 100);
    cache.put(one);
    cache.put(two);
    cache.put(three);
    assertThat(cache.latest(new byte[] {1})).isSameAs(one);
    cache.put(view(cache, 4, 10));
    assertThat(cache.latest(new byte[] {1})).isSameAs(one);
    assertThat(cache.latest(new byte[] {2})).isNull();
    assertThat(cache.find(two.id(), two.search())).isNull();
    assertThat(cache.find(three.id(), three.search())).isSameAs(three);
    assertThat(cache.find(three.id(), one.search())).isNull();
  }

  @Test
  void shouldCountWhatIsBeingMade() {
    SortedListCache cache = new SortedListCache(10_000);
    cache.put(view(cache, 1, 100));
    assertThat(cache.reserve(10_001)).isFalse();
    assertThat(cache.latest(new byte[] {1})).isNotNull();
    assertThat(cache.reserve(9_500)).isTrue();
    assertThat(cache.latest(new byte[] {1})).isNull();
    assertThat(cache.memory()).isEqualTo(9_500);
    assertThat(cache.reserve(501)).isFalse();
    cache.release(9_500);
    assertThat(cache.memory()).isZero();
    cache.put(view(cache, 1, 2_000));
    assertThat(cache.memory()).isZero();
  }

  @Test
  void shouldKeepTheLatestAndThoseBeforeByTheirNumbers() {
    SortedListCache cache = new SortedListCache(100_000);
    SortedList old = view(cache, 1, 10);
    SortedList recent = view(cache, 1, 10);
    cache.put(old);
    cache.put(recent);
    assertThat(cache.latest(new byte[] {1})).isSameAs(recent);
    assertThat(cache.find(old.id(), old.search())).isSameAs(old);
  }

  @Test
  void shouldKnowWhatIsBeingMade() {
    SortedListCache cache = new SortedListCache(100);
    byte[] search = {1};
    cache.beginMaking(search);
    cache.beginMaking(search);
    cache.endMaking(search);
    assertThat(cache.isMaking(new byte[] {1})).isTrue();
    assertThat(cache.isMaking(new byte[] {2})).isFalse();
    cache.endMaking(search);
    assertThat(cache.isMaking(search)).isFalse();
  }

  @Test
  void shouldOpenOnlyItsOwnCookiesForTheirSearch() throws LdapOperationException {
    PageSeals seals = PageSeals.random();
    byte[] search = {1, 2, 3};
    byte[] cookie = seals.seal(new byte[] {7, 8, 9}, search);
    assertThat(seals.open(cookie, search)).containsExactly(7, 8, 9);
    assertRefused(seals, cookie, new byte[] {1, 2, 4}, ResultCode.UNWILLING_TO_PERFORM);
    assertRefused(PageSeals.random(), cookie, search, ResultCode.UNWILLING_TO_PERFORM);
    for (int i = 0; i < cookie.length; i++) {
      byte[] forged = cookie.clone();
      forged[i] ^= 1;
      assertRefused(seals, forged, search, ResultCode.UNWILLING_TO_PERFORM);
    }
    for (int length = 1; length < cookie.length; length++) {
      ResultCode code = length <= 16 ? ResultCode.PROTOCOL_ERROR : ResultCode.UNWILLING_TO_PERFORM;
      assertRefused(seals, Arrays.copyOf(cookie, length), search, code);
    }
  }

  private static void assertRefused(
      PageSeals seals, byte[] cookie, byte[] search, ResultCode code) {
    assertThatThrownBy(() -> seals.open(cookie, search))
        .isInstanceOfSatisfying(
            LdapOperationException.class, e -> assertThat(e.result().code()).isEqualTo(code));
  }

  @Test
  void shouldRemindAPageOfItsPlace() {
    PagePosition byId = new PagePosition.ById(5, 77, new byte[] {1, 2});
    assertThat(PagePosition.decode(byId.encode())).usingRecursiveComparison().isEqualTo(byId);
    PagePosition inList = new PagePosition.InList(6, 3, 9, 80, new byte[] {4});
    assertThat(PagePosition.decode(inList.encode())).usingRecursiveComparison().isEqualTo(inList);
  }
}
