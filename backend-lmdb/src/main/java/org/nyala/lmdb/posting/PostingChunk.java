package org.nyala.lmdb.posting;

import java.nio.ByteBuffer;
import org.nyala.core.bytes.ByteAppender;

/**
 * The stored form of the entries of one value within one block: the low 16 bits of their ids, never
 * empty, in the shortest of the forms.
 *
 * <pre>
 *   2 bytes                        one id
 *   1, n × u16                     ids, rising
 *   2, 1024 × u64                  bitmap: id i is bit (i &amp; 63) of word i >>> 6
 *   3, n × { u16 start, u16 more } runs of 1 + more ids, rising, with gaps between them
 * </pre>
 *
 * <p>All numbers are big-endian; buffers handed in must be big-endian, from position to limit.
 */
public final class PostingChunk {
  static final int ARRAY = 1;
  static final int BITMAP = 2;
  static final int RUNS = 3;

  /** The number of words of a bitmap. */
  static final int WORDS = 1024;

  /** The length of the longest chunk in bytes. */
  public static final int MAXIMUM_LENGTH = 1 + WORDS * 8;

  private static final int SINGLE_LENGTH = 2;

  private PostingChunk() {}

  /**
   * Appends the chunk of {@code count} ids.
   *
   * @param ids rising, without repeats
   * @param count the number of ids to use, at least 1
   */
  static void encode(char[] ids, int count, ByteAppender target) {
    if (count < 1) {
      throw new IllegalArgumentException("a chunk of " + count + " ids");
    }
    if (count == 1) {
      target.appendShort(ids[0]);
      return;
    }
    int runs = countRuns(ids, count);
    if (4 * runs <= 2 * count && runs < WORDS * 2) {
      encodeRuns(ids, count, target);
    } else if (count < WORDS * 4) {
      target.append(ARRAY);
      for (int i = 0; i < count; i++) {
        target.appendShort(ids[i]);
      }
    } else {
      long[] words = new long[WORDS];
      for (int i = 0; i < count; i++) {
        words[ids[i] >>> 6] |= 1L << ids[i];
      }
      encodeBitmap(words, target);
    }
  }

  private static int countRuns(char[] ids, int count) {
    int runs = 1;
    for (int i = 1; i < count; i++) {
      if (ids[i] != ids[i - 1] + 1) {
        runs++;
      }
    }
    return runs;
  }

  private static void encodeRuns(char[] ids, int count, ByteAppender target) {
    target.append(RUNS);
    int start = 0;
    for (int i = 1; i <= count; i++) {
      if (i == count || ids[i] != ids[i - 1] + 1) {
        target.appendShort(ids[start]).appendShort(i - 1 - start);
        start = i;
      }
    }
  }

  private static void encodeBitmap(long[] words, ByteAppender target) {
    target.append(BITMAP);
    for (int i = 0; i < WORDS; i++) {
      target.appendLong(words[i]);
    }
  }

  /** Returns the number of ids in the chunk. */
  public static int cardinality(ByteBuffer chunk) {
    int at = chunk.position();
    int length = chunk.remaining();
    if (length == SINGLE_LENGTH) {
      return 1;
    }
    return switch (chunk.get(at)) {
      case ARRAY -> (length - 1) / 2;
      case RUNS -> runCardinality(chunk, at, length);
      default -> bitmapCardinality(chunk, at);
    };
  }

  private static int runCardinality(ByteBuffer chunk, int at, int length) {
    int sum = 0;
    for (int i = at + 1; i < at + length; i += 4) {
      sum += 1 + (chunk.getShort(i + 2) & 0xffff);
    }
    return sum;
  }

  private static int bitmapCardinality(ByteBuffer chunk, int at) {
    int sum = 0;
    for (int i = 0; i < WORDS; i++) {
      sum += Long.bitCount(chunk.getLong(at + 1 + 8 * i));
    }
    return sum;
  }

  public static boolean contains(ByteBuffer chunk, int id) {
    int at = chunk.position();
    int length = chunk.remaining();
    if (length == SINGLE_LENGTH) {
      return (chunk.getShort(at) & 0xffff) == id;
    }
    return switch (chunk.get(at)) {
      case ARRAY -> {
        int index = lastNotAbove(chunk, at + 1, (length - 1) / 2, 2, id);
        yield index >= 0 && (chunk.getShort(at + 1 + 2 * index) & 0xffff) == id;
      }
      case RUNS -> {
        int index = lastNotAbove(chunk, at + 1, (length - 1) / 4, 4, id);
        yield index >= 0
            && id
                <= (chunk.getShort(at + 1 + 4 * index) & 0xffff)
                    + (chunk.getShort(at + 3 + 4 * index) & 0xffff);
      }
      default -> hasBit(chunk, at, id);
    };
  }

  /** Returns whether bit {@code id} of the bitmap chunk at {@code at} is set. */
  static boolean hasBit(ByteBuffer chunk, int at, int id) {
    return (chunk.getLong(at + 1 + (id >>> 6) * 8) >>> id & 1) != 0;
  }

  /** Returns the index of the last element that begins at or before {@code id}, or -1. */
  static int lastNotAbove(ByteBuffer chunk, int start, int count, int width, int id) {
    int low = 0;
    int high = count - 1;
    while (low <= high) {
      int middle = low + high >>> 1;
      if ((chunk.getShort(start + middle * width) & 0xffff) <= id) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high;
  }

  /** Returns whether the bytes are a chunk as this class describes it; for {@code verify}. */
  public static boolean isValid(ByteBuffer chunk) {
    int at = chunk.position();
    int length = chunk.remaining();
    if (length < 3) {
      return length == SINGLE_LENGTH;
    }
    return switch (chunk.get(at)) {
      case ARRAY -> length >= 5 && length % 2 == 1 && rises(chunk, at + 1, length - 1, 2);
      case RUNS -> length % 4 == 1 && rises(chunk, at + 1, length - 1, 4);
      case BITMAP -> length == MAXIMUM_LENGTH && bitmapCardinality(chunk, at) > 0;
      default -> false;
    };
  }

  private static boolean rises(ByteBuffer chunk, int start, int bytes, int width) {
    int previousEnd = -1;
    for (int at = start; at < start + bytes; at += width) {
      int first = chunk.getShort(at) & 0xffff;
      int last = width == 2 ? first : first + (chunk.getShort(at + 2) & 0xffff);
      int gap = width == 2 ? 0 : 1;
      if (previousEnd >= 0 && first <= previousEnd + gap || last > 0xffff) {
        return false;
      }
      previousEnd = last;
    }
    return true;
  }
}
