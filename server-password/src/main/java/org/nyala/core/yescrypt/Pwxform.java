package org.nyala.core.yescrypt;

/**
 * The transformation of yescrypt: parallel wide multiplications, with additions from S-boxes that
 * change as it goes on. The three S-boxes take turns in being written.
 *
 * <p>Confined to one thread.
 */
final class Pwxform {
  /** The bytes of the three S-boxes. */
  static final int BYTES = 12 << 10;

  /** The longs of one S-box: 256 rows of two. */
  private static final int BOX = BYTES / Long.BYTES / 3;

  private static final int ROUNDS = 6;
  private static final int GATHER = 4;

  /** Selects a row by its offset in bytes. */
  private static final int ROW_MASK = 255 << 4;

  private final long[] boxes;
  private int written;
  private int second = BOX;
  private int first = 2 * BOX;
  private int at;

  /**
   * Takes the S-boxes over.
   *
   * @param boxes three, the one that is written first at the beginning
   */
  Pwxform(long[] boxes) {
    this.boxes = boxes;
  }

  /** Transforms the eight longs at an offset. */
  void apply(long[] x, int offset) {
    int w = at;
    for (int round = 0; round < ROUNDS; round++) {
      boolean isWriting = round != 0 && round != ROUNDS - 1;
      for (int j = offset; j < offset + 2 * GATHER; j += 2) {
        long chosen = x[j];
        int p0 = first + (((int) chosen & ROW_MASK) >>> 3);
        int p1 = second + (((int) (chosen >>> Integer.SIZE) & ROW_MASK) >>> 3);
        long even = product(chosen) + boxes[p0] ^ boxes[p1];
        long odd = product(x[j + 1]) + boxes[p0 + 1] ^ boxes[p1 + 1];
        x[j] = even;
        x[j + 1] = odd;
        if (isWriting) {
          boxes[written + w] = even;
          boxes[written + w + 1] = odd;
          w += 2;
        }
      }
    }
    at = w & BOX - 1;
    int next = second;
    second = first;
    first = written;
    written = next;
  }

  private static long product(long x) {
    return (x >>> Integer.SIZE) * (x & 0xffffffffL);
  }
}
