package org.nyala.core.yescrypt;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The orders of words in blocks: as bytes have them, and for vectors. Stateless. */
final class Words {
  private static final int WORDS = 16;
  private static final int STRIDE = 5;

  private Words() {}

  /** Returns the words of bytes, in little endian order. */
  static long[] of(byte[] bytes) {
    long[] words = new long[bytes.length / Long.BYTES];
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(words);
    return words;
  }

  /** Returns the bytes of some words. */
  static byte[] bytes(long[] words, int offset, int count) {
    ByteBuffer bytes = ByteBuffer.allocate(count * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asLongBuffer().put(words, offset, count);
    return bytes.array();
  }

  private static int word(long[] words, int offset, int index) {
    long both = words[offset + (index >>> 1)];
    return (int) ((index & 1) == 0 ? both : both >>> Integer.SIZE);
  }

  private static long both(int low, int high) {
    return (long) high << Integer.SIZE | low & 0xffffffffL;
  }

  /** Copies a block into the order for vectors; its length is that of the target. */
  static void toVectors(long[] block, int offset, long[] target) {
    for (int part = 0; part < target.length; part += Salsa.LONGS) {
      for (int i = 0; i < Salsa.LONGS; i++) {
        target[part + i] =
            both(
                word(block, offset + part, 2 * i * STRIDE % WORDS),
                word(block, offset + part, (2 * i + 1) * STRIDE % WORDS));
      }
    }
  }

  /** Copies a block back from the order for vectors. */
  static void fromVectors(long[] source, long[] block, int offset) {
    // The inverse of 5 modulo 16.
    int inverse = 13;
    for (int part = 0; part < source.length; part += Salsa.LONGS) {
      for (int i = 0; i < Salsa.LONGS; i++) {
        block[offset + part + i] =
            both(
                word(source, part, 2 * i * inverse % WORDS),
                word(source, part, (2 * i + 1) * inverse % WORDS));
      }
    }
  }
}
