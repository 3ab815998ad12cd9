package org.nyala.lmdb.env;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Buffers through which memory of the map is read by its address: one for each gibibyte, and each
 * almost two gibibytes long, so that anything that begins in a window and that {@link #covers}
 * accepts is in it as a whole.
 *
 * <p>Confined to one running operation. Hot; makes a window when it is first looked through. A
 * window keeps nothing alive: the memory must belong to a snapshot that is being read.
 */
public final class MapWindows {
  private static final int STEP_BITS = 30;
  private static final long STEP_MASK = (1L << STEP_BITS) - 1;

  /** The length of the longest possible buffer. */
  private static final long WINDOW_BYTES = Integer.MAX_VALUE - 8;

  /**
   * The number of windows that are kept, each in the place of its number: enough for a map of a
   * tebibyte.
   */
  private static final int PLACES = 1024;

  private final @Nullable ByteBuffer[] windows = new ByteBuffer[PLACES];
  private final long[] numbers = new long[PLACES];

  /**
   * Returns the buffer in which an address is at {@link #offset}; big-endian, never to be written
   * to.
   */
  public ByteBuffer window(long address) {
    long number = address >>> STEP_BITS;
    int place = (int) number & PLACES - 1;
    ByteBuffer window = windows[place];
    if (window == null || numbers[place] != number) {
      window = open(number << STEP_BITS);
      windows[place] = window;
      numbers[place] = number;
    }
    return window;
  }

  public static int offset(long address) {
    return (int) (address & STEP_MASK);
  }

  /** Returns whether anything of this length can be read through one window, wherever it is. */
  public static boolean covers(int length) {
    return length <= WINDOW_BYTES - STEP_MASK;
  }

  /** Returns the address of a buffer's position. */
  public static long address(ByteBuffer direct) {
    return MemorySegment.ofBuffer(direct).address();
  }

  @SuppressWarnings("restricted")
  private static ByteBuffer open(long address) {
    return MemorySegment.ofAddress(address).reinterpret(WINDOW_BYTES).asByteBuffer();
  }
}
