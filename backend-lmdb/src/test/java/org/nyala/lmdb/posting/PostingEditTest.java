package org.nyala.lmdb.posting;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.lmdb.posting.PostingWriter.PostingEdit;

class PostingEditTest {
  private final PostingEdit edit = new PostingEdit();
  private final ByteAppender target = new ByteAppender(64);

  /** Grows and shrinks sets of every shape, and checks them after each step. */
  @Test
  void shouldAddAndRemoveIdsInEveryFormOfChunk() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    for (int round = 0; round < 12; round++) {
      int shape = round % 4;
      BitSet expected = new BitSet();
      ByteBuffer chunk = null;
      for (int step = 0; step < 12_000; step++) {
        boolean isAdded = random.nextInt(12_000) < (step < 8000 ? 10_000 : 1500);
        int id = id(random, shape, step, expected);
        chunk = change(chunk, id, isAdded, expected, "seed " + seed + " step " + step);
      }
      assertSame(chunk, expected, "seed " + seed + " round " + round);
    }
  }

  /** Appends larger ids to sets of every shape: the result is as if it were made of all at once. */
  @Test
  void shouldAppendLargerIdsAsIfAllCameAtOnce() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    int appended = 0;
    for (int round = 0; round < 4000; round++) {
      BitSet all = new BitSet();
      int middle = random.nextInt(65_536);
      ByteBuffer chunk = filled(random, all, 0, middle);
      ByteBuffer more = filled(random, all, middle + random.nextInt(3), 65_535);
      if (chunk == null || more == null || !edit.append(chunk, more, target.clear())) {
        continue;
      }
      appended++;
      assertThat(chunk(target)).as("seed %d round %d", seed, round).isEqualTo(encoded(all));
    }
    assertThat(appended).as("seed %d", seed).isGreaterThan(500);
  }

  /** Returns a chunk of ids of a random shape, within bounds; null if there are none. */
  private static ByteBuffer filled(Random random, BitSet all, int from, int end) {
    BitSet ids = new BitSet();
    int longest = random.nextBoolean() ? 1 : 40;
    int widest = 1 << 1 + random.nextInt(12);
    int count = 0;
    for (int at = from; at < end && count < 3000; at += 1 + random.nextInt(widest)) {
      int next = Math.min(end, at + 1 + random.nextInt(longest));
      ids.set(at, next);
      count += next - at;
      at = next;
    }
    all.or(ids);
    return ids.isEmpty() ? null : encoded(ids);
  }

  private static ByteBuffer encoded(BitSet ids) {
    char[] each = new char[ids.cardinality()];
    int count = 0;
    for (int id = ids.nextSetBit(0); id >= 0; id = ids.nextSetBit(id + 1)) {
      each[count++] = (char) id;
    }
    ByteAppender bytes = new ByteAppender(64);
    PostingChunk.encode(each, count, bytes);
    return chunk(bytes);
  }

  private static int id(Random random, int shape, int step, BitSet expected) {
    return switch (shape) {
      case 0 -> random.nextInt(65_536);
      case 1 -> step % 65_536;
      case 2 -> random.nextInt(9000);
      default -> {
        int near = expected.nextSetBit(random.nextInt(65_536));
        yield near < 0 || step % 40 == 0
            ? random.nextInt(65_536)
            : Math.min(65_535, Math.max(0, near + random.nextInt(5) - 2));
      }
    };
  }

  private ByteBuffer change(
      ByteBuffer chunk, int id, boolean isAdded, BitSet expected, String context) {
    target.clear();
    if (chunk == null) {
      if (!isAdded) {
        return null;
      }
      expected.set(id);
      return chunk(target.appendShort(id));
    }
    boolean isOther = isAdded ? edit.add(chunk, id, target) : edit.remove(chunk, id, target);
    assertThat(isOther).as(context).isEqualTo(expected.get(id) != isAdded);
    if (!isOther) {
      assertThat(target.length()).isZero();
      return chunk;
    }
    expected.set(id, isAdded);
    if (target.length() == 0) {
      assertThat(expected.isEmpty()).as(context).isTrue();
      return null;
    }
    ByteBuffer changed = chunk(target);
    if (!PostingChunk.isValid(changed)
        || PostingChunk.cardinality(changed) != expected.cardinality()
        || PostingChunk.contains(changed, id) != isAdded) {
      assertSame(changed, expected, context);
    }
    return changed;
  }

  private static ByteBuffer chunk(ByteAppender bytes) {
    return ByteBuffer.allocate(bytes.length()).put(bytes.array(), 0, bytes.length()).flip();
  }

  private static void assertSame(ByteBuffer chunk, BitSet expected, String context) {
    BitSet actual = new BitSet();
    if (chunk != null) {
      assertThat(PostingChunk.isValid(chunk)).as(context).isTrue();
      assertThat(chunk.remaining())
          .as(context)
          .isLessThanOrEqualTo(Math.min(PostingChunk.MAXIMUM_LENGTH, 1 + 2 * 4096));
      for (int id = 0; id < 65_536; id++) {
        actual.set(id, PostingChunk.contains(chunk, id));
      }
    }
    assertThat(actual).as(context).isEqualTo(expected);
  }
}
