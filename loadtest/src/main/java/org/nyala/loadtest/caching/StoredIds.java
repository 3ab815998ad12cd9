package org.nyala.loadtest.caching;

import java.nio.ByteBuffer;

/**
 * The ids of one posting of the index: the low 16 bits, as a single id, a rising list, a bitmap or
 * runs (the format on disk, in the manual's page about internals). Stateless.
 */
final class StoredIds {
  private static final int SINGLE_LENGTH = 2;
  private static final int LIST = 1;
  private static final int RUNS = 3;
  private static final int WORDS = 1024;

  private StoredIds() {}

  /** Returns the first id that is not below {@code low}, 0 to 65,535; -1 if there is none. */
  static int next(ByteBuffer posting, int low) {
    if (posting.limit() == SINGLE_LENGTH) {
      int id = posting.getShort(0) & 0xffff;
      return id >= low ? id : -1;
    }
    return switch (posting.get(0)) {
      case LIST -> nextOfList(posting, low);
      case RUNS -> nextOfRuns(posting, low);
      default -> nextOfBitmap(posting, low);
    };
  }

  private static int nextOfList(ByteBuffer posting, int low) {
    int index = firstEndingFrom(posting, 2, low);
    int at = 1 + 2 * index;
    return at < posting.limit() ? posting.getShort(at) & 0xffff : -1;
  }

  private static int nextOfRuns(ByteBuffer posting, int low) {
    int index = firstEndingFrom(posting, 4, low);
    int at = 1 + 4 * index;
    return at < posting.limit() ? Math.max(low, posting.getShort(at) & 0xffff) : -1;
  }

  /** Returns the index of the first element whose last id is not below {@code low}. */
  private static int firstEndingFrom(ByteBuffer posting, int width, int low) {
    int from = 0;
    int to = (posting.limit() - 1) / width;
    while (from < to) {
      int middle = (from + to) >>> 1;
      int at = 1 + middle * width;
      int last = posting.getShort(at) & 0xffff;
      if (width == 4) {
        last += posting.getShort(at + 2) & 0xffff;
      }
      if (last < low) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }

  private static int nextOfBitmap(ByteBuffer posting, int low) {
    int word = low >>> 6;
    long bits = posting.getLong(1 + 8 * word) & -1L << low;
    while (bits == 0) {
      if (++word == WORDS) {
        return -1;
      }
      bits = posting.getLong(1 + 8 * word);
    }
    return word << 6 | Long.numberOfTrailingZeros(bits);
  }
}
