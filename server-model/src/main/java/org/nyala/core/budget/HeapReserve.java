package org.nyala.core.budget;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import org.jspecify.annotations.Nullable;

/**
 * A part of the heap that the JVM frees by itself before it ends for want of memory, so that there
 * is time and memory to end what fills the heap: soft references are cleared before an {@link
 * OutOfMemoryError} is thrown.
 *
 * <p>Confined to one thread, except for {@link #bytes}.
 */
final class HeapReserve {
  /** Smaller than what any collector allocates apart. */
  private static final int PIECE_BYTES = 16 * 1024;

  private final ReferenceQueue<Object> told;
  private final long size;
  private volatile @Nullable SoftReference<Object> pieces;

  /**
   * Creates a reserve of which nothing is kept.
   *
   * @param bytes the size
   * @param told receives the reference that was cleared when the JVM has freed it
   */
  HeapReserve(long bytes, ReferenceQueue<Object> told) {
    this.size = bytes;
    this.told = told;
  }

  /** Returns the bytes that it keeps once it is filled. */
  long size() {
    return size;
  }

  /** Allocates it. */
  void fill() {
    byte[][] filled = new byte[(int) (size / PIECE_BYTES)][];
    for (int i = 0; i < filled.length; i++) {
      filled[i] = new byte[PIECE_BYTES];
    }
    pieces = new SoftReference<>(filled, told);
  }

  /** Notes that it was freed. */
  void freed() {
    pieces = null;
  }

  /**
   * Returns the bytes that are kept: 0 after they were freed. The JVM takes a look as a use, and
   * frees last what was used since the last collection. Any thread.
   */
  long bytes() {
    SoftReference<Object> kept = pieces;
    return kept == null || kept.get() == null ? 0 : size;
  }

  /** Returns whether the queue has told that the JVM has freed it. */
  boolean isFreed(@Nullable Reference<?> cleared) {
    return cleared != null && cleared == pieces;
  }
}
