package org.nyala.loadtest.caching;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;

class StoredIdsTest {
  private static final int IDS = 1 << 16;

  @Test
  void shouldFindTheNextIdInEveryForm() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    for (int round = 0; round < 60; round++) {
      BitSet ids = ids(random);
      for (ByteBuffer posting : new ByteBuffer[] {list(ids), bitmap(ids), runs(ids)}) {
        for (int probe = 0; probe < 200; probe++) {
          int low = random.nextInt(IDS);
          assertThat(StoredIds.next(posting, low))
              .as("test.seed=%d, form %d, from %d", seed, posting.get(0), low)
              .isEqualTo(ids.nextSetBit(low));
        }
      }
    }
    ByteBuffer single = ByteBuffer.allocate(2).putShort(0, (short) 40_000);
    assertThat(StoredIds.next(single, 40_000)).isEqualTo(40_000);
    assertThat(StoredIds.next(single, 40_001)).isEqualTo(-1);
  }

  /** Returns a few runs, some of a single id; always with an id. */
  private static BitSet ids(Random random) {
    BitSet ids = new BitSet();
    for (int i = random.nextInt(8); i >= 0; i--) {
      int start = random.nextInt(IDS);
      ids.set(start, Math.min(IDS, start + 1 + random.nextInt(random.nextBoolean() ? 1 : 9000)));
    }
    return ids;
  }

  private static ByteBuffer list(BitSet ids) {
    ByteBuffer posting = ByteBuffer.allocate(1 + 2 * ids.cardinality()).put((byte) 1);
    ids.stream().forEach(id -> posting.putShort((short) id));
    return posting.flip();
  }

  private static ByteBuffer bitmap(BitSet ids) {
    ByteBuffer posting = ByteBuffer.allocate(1 + IDS / 8).put((byte) 2);
    long[] words = ids.toLongArray();
    for (int i = 0; i < IDS / 64; i++) {
      posting.putLong(i < words.length ? words[i] : 0);
    }
    return posting.flip();
  }

  private static ByteBuffer runs(BitSet ids) {
    ByteBuffer posting = ByteBuffer.allocate(1 + 4 * ids.cardinality()).put((byte) 3);
    for (int from = ids.nextSetBit(0); from >= 0; ) {
      int to = ids.nextClearBit(from);
      posting.putShort((short) from).putShort((short) (to - 1 - from));
      from = ids.nextSetBit(to);
    }
    return posting.flip();
  }
}
