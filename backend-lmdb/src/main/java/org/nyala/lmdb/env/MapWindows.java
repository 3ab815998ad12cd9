package org.nyala.lmdb.env;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Buffers through which memory of the map is read by its address: one for each gibibyte, and each
 * of almost two, so that what begins in a window and is not longer than {@link #covers} says is in
 * it as a whole.
 *
 * <p>Confined to one running operation. Hot; makes a window when it is first looked through. A
 * window keeps nothing alive: what is read must be of a snapshot that is being read.
 */
public final class MapWindows {
  private static final int STEP_BITS = 30;
  private static final long STEP_MASK = (1L << STEP_BITS) - 1;

  /** The longest buffer there is. */
  private static final long WINDOW_BYTES = Integer.MAX_VALUE - 8;

  /** So many windows are kept, each in the place that its number has: for a map of a tebibyte. */
  private static final int PLACES = 1024;

  private final @Nullable ByteBuffer[] windows = new ByteBuffer[PLACES];
  private final long[] numbers = new long[PLACES];

  /** The buffer in which an address is at {@link #offset}; big-endian, never to be written to. */
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

  /** Where in its window an address is. */
  public static int offset(long address) {
    return (int) (address & STEP_MASK);
  }

  /** Whether something that is so long can be read through a window, wherever it is. */
  public static boolean covers(int length) {
    return length <= WINDOW_BYTES - STEP_MASK;
  }

  /** The address of what a buffer has at its position. */
  public static long address(ByteBuffer direct) {
    return MemorySegment.ofBuffer(direct).address();
  }

  @SuppressWarnings("restricted")
  private static ByteBuffer open(long address) {
    return MemorySegment.ofAddress(address).reinterpret(WINDOW_BYTES).asByteBuffer();
  }
}
