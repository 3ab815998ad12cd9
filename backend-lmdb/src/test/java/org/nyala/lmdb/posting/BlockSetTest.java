package org.nyala.lmdb.posting;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.bytes.ByteAppender;

class BlockSetTest {
  private static final int BLOCK = 1 << 16;

  @Test
  void shouldAgreeWithBitSetOnEveryOperation() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    BlockSet set = new BlockSet();
    BlockSet other = new BlockSet();
    for (int round = 0; round < 400; round++) {
      String context = "seed " + seed + " round " + round;
      BitSet expected = randomIds(random);
      BitSet argument = randomIds(random);
      load(set, expected);
      assertContent(set, expected, context);
      apply(random, set, expected, argument, other);
      assertContent(set, expected, context);
      apply(random, set, expected, randomIds(random), other);
      assertContent(set, expected, context);
      mutate(random, set, expected);
      assertContent(set, expected, context);
    }
  }

  @Test
  void shouldEncodeWhateverIsSmallest() {
    assertThat(chunk(bits(7, 8)).remaining()).isEqualTo(2);
    assertThat(chunk(bits(7, 9)).get(0)).isEqualTo((byte) PostingChunk.RUNS);
    BitSet scattered = new BitSet();
    for (int i = 0; i < 4095; i++) {
      scattered.set(i * 16);
    }
    assertThat(chunk(scattered).get(0)).isEqualTo((byte) PostingChunk.ARRAY);
    scattered.set(65_535);
    assertThat(chunk(scattered).get(0)).isEqualTo((byte) PostingChunk.BITMAP);
    assertThat(chunk(bits(0, BLOCK)).remaining()).isEqualTo(5);
  }

  @Test
  void shouldRecogniseDamagedChunks() {
    assertThat(PostingChunk.isValid(bytes(0, 7))).isTrue();
    assertThat(PostingChunk.isValid(bytes(1, 0, 7, 0, 8))).isTrue();
    assertThat(PostingChunk.isValid(bytes(3, 0, 7, 0, 1, 0, 10, 0, 0))).isTrue();
    assertThat(PostingChunk.isValid(bytes())).isFalse();
    assertThat(PostingChunk.isValid(bytes(7))).isFalse();
    assertThat(PostingChunk.isValid(bytes(1, 0, 7))).isFalse();
    assertThat(PostingChunk.isValid(bytes(1, 0, 8, 0, 7))).isFalse();
    assertThat(PostingChunk.isValid(bytes(1, 0, 8, 0, 8))).isFalse();
    assertThat(PostingChunk.isValid(bytes(1, 0, 7, 0, 8, 0))).isFalse();
    assertThat(PostingChunk.isValid(bytes(2, 0, 7, 0, 8))).isFalse();
    assertThat(PostingChunk.isValid(bytes(3, 0, 7, 0, 1, 0, 9, 0, 0))).isFalse();
    assertThat(PostingChunk.isValid(bytes(3, 0xff, 0xff, 0, 1))).isFalse();
    assertThat(PostingChunk.isValid(bytes(4, 0, 7, 0, 8))).isFalse();
  }

  private static void apply(
      Random random, BlockSet set, BitSet expected, BitSet argument, BlockSet other) {
    boolean asChunk = random.nextBoolean() && !argument.isEmpty();
    ByteBuffer chunk = asChunk ? chunk(argument) : ByteBuffer.allocate(0);
    load(other, argument);
    switch (random.nextInt(3)) {
      case 0 -> {
        expected.and(argument);
        if (asChunk) {
          set.and(chunk);
        } else {
          set.and(other);
        }
      }
      case 1 -> {
        expected.or(argument);
        if (asChunk) {
          set.or(chunk);
        } else {
          set.or(other);
        }
      }
      default -> {
        expected.andNot(argument);
        set.andNot(other);
      }
    }
  }

  private static void mutate(Random random, BlockSet set, BitSet expected) {
    if (random.nextInt(20) == 0) {
      set.fill();
      expected.set(0, BLOCK);
    }
    for (int i = 0; i < 50; i++) {
      int id = random.nextInt(BLOCK);
      if (random.nextBoolean()) {
        set.add(id);
        expected.set(id);
      } else {
        int present = Math.max(0, expected.nextSetBit(id));
        set.remove(present);
        expected.clear(present);
      }
    }
  }

  private static void assertContent(BlockSet set, BitSet expected, String context) {
    assertThat(set.cardinality()).as(context).isEqualTo(expected.cardinality());
    assertThat(set.isEmpty()).as(context).isEqualTo(expected.isEmpty());
    int from = expected.cardinality() % 3 == 0 ? 0 : expected.length() / 2;
    set.startFrom(from);
    for (int id = expected.nextSetBit(from); id >= 0; id = expected.nextSetBit(id + 1)) {
      int next = set.next();
      if (next != id) {
        assertThat(next).as(context).isEqualTo(id);
      }
    }
    assertThat(set.next()).as(context).isEqualTo(-1);
    if (!expected.isEmpty()) {
      ByteAppender encoded = new ByteAppender(16);
      set.encode(encoded);
      assertThat(ByteBuffer.wrap(encoded.toByteArray())).as(context).isEqualTo(chunk(expected));
    }
  }

  private static void load(BlockSet set, BitSet ids) {
    set.clear();
    if (!ids.isEmpty()) {
      ByteBuffer chunk = chunk(ids);
      assertThat(PostingChunk.isValid(chunk)).isTrue();
      assertThat(PostingChunk.cardinality(chunk)).isEqualTo(ids.cardinality());
      int probe = ids.nextSetBit(0);
      assertThat(PostingChunk.contains(chunk, probe)).isTrue();
      assertThat(PostingChunk.contains(chunk, 4711)).isEqualTo(ids.get(4711));
      set.load(chunk);
    }
  }

  static ByteBuffer chunk(BitSet ids) {
    char[] array = new char[ids.cardinality()];
    int count = 0;
    for (int id = ids.nextSetBit(0); id >= 0; id = ids.nextSetBit(id + 1)) {
      array[count++] = (char) id;
    }
    ByteAppender target = new ByteAppender(16);
    PostingChunk.encode(array, count, target);
    // At an odd address, as a page of the map may have it.
    return ByteBuffer.allocate(target.length() + 3)
        .put(3, target.toByteArray())
        .position(3)
        .slice();
  }

  private static BitSet randomIds(Random random) {
    BitSet ids = new BitSet();
    switch (random.nextInt(6)) {
      case 0 -> ids.set(random.nextInt(BLOCK));
      case 1 -> scatter(random, ids, random.nextInt(20));
      case 2 -> scatter(random, ids, random.nextInt(6000));
      case 3 -> scatter(random, ids, 10_000 + random.nextInt(50_000));
      case 4 -> {
        for (int runs = random.nextInt(30); runs >= 0; runs--) {
          int start = random.nextInt(BLOCK);
          ids.set(start, Math.min(BLOCK, start + 1 + random.nextInt(2000)));
        }
      }
      default -> ids.set(0, random.nextBoolean() ? BLOCK : 0);
    }
    return ids;
  }

  private static void scatter(Random random, BitSet ids, int count) {
    for (int i = 0; i < count; i++) {
      ids.set(random.nextInt(BLOCK));
    }
  }

  private static BitSet bits(int from, int to) {
    BitSet ids = new BitSet();
    ids.set(from, to);
    return ids;
  }

  private static ByteBuffer bytes(int... values) {
    ByteBuffer buffer = ByteBuffer.allocate(values.length);
    for (int value : values) {
      buffer.put((byte) value);
    }
    return buffer.flip();
  }
}
