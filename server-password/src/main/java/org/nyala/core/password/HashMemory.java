package org.nyala.core.password;

import java.lang.ref.SoftReference;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * The memory that checks of passwords may take at once, all threads together; further ones wait. It
 * is used again and again: one hash after the other leaves nothing to collect, so that searches
 * beside logins do not wait for collections.
 *
 * <p>Thread-safe.
 */
final class HashMemory {
  /** The longs of a KiB. */
  static final int LONGS = 128;

  /** The least memory, in KiB: that of a new Argon2 hash. */
  private static final int LEAST = Argon2.KIBIBYTES;

  private static final int BYTES_SHIFT = 10;

  /** The part of the heap that hashes may take at once. */
  private static final int HEAP_PART = 4;

  /** The memory that hashes may take at once, in KiB. */
  static final int KIBIBYTES =
      Math.clamp(
          Runtime.getRuntime().maxMemory() / HEAP_PART >> BYTES_SHIFT, LEAST, Integer.MAX_VALUE);

  private static final Semaphore FREE = new Semaphore(KIBIBYTES, true);

  /** Memory that nobody uses, the latest first, no more than is free; the collector may have it. */
  private static final ArrayDeque<Spare> SPARES = new ArrayDeque<>();

  private HashMemory() {}

  private record Spare(SoftReference<long[]> longs, int length) {
    int kibibytes() {
      return Math.ceilDiv(length, LONGS);
    }
  }

  /** Memory that one thread has until it closes it. */
  static final class Loan implements AutoCloseable {
    private final long[] longs;
    private final int taken;

    private Loan(long[] longs, int taken) {
      this.longs = longs;
      this.taken = taken;
    }

    /** Returns the memory, which may be written to; all zeros at first. */
    long[] longs() {
      return longs;
    }

    /** Gives it back as zeros: what a hash leaves there would make guesses cheap. */
    @Override
    public void close() {
      Arrays.fill(longs, 0);
      synchronized (SPARES) {
        SPARES.addFirst(new Spare(new SoftReference<>(longs), longs.length));
        release(taken);
        keepWithin(FREE.availablePermits());
      }
    }
  }

  /**
   * Waits for memory, without having any.
   *
   * @return the KiB to {@linkplain #release release}
   */
  static int acquire(int kibibytes) {
    int taken = Math.min(kibibytes, KIBIBYTES);
    FREE.acquireUninterruptibly(taken);
    return taken;
  }

  static void release(int taken) {
    FREE.release(taken);
  }

  /**
   * Takes memory, once there is so much.
   *
   * @param kibibytes the memory that a hash takes in all; more than {@link #KIBIBYTES} count as
   *     that
   * @param length the part of it to have, in longs
   */
  static Loan borrow(int kibibytes, int length) {
    int taken = acquire(kibibytes);
    try {
      long[] spare = spare(length);
      return new Loan(spare == null ? new long[length] : spare, taken);
    } catch (Throwable e) {
      release(taken);
      throw e;
    }
  }

  /** Takes a spare of a size, and has others make way for what is in use now. */
  private static long @Nullable [] spare(int length) {
    synchronized (SPARES) {
      long[] found = null;
      for (Spare each : SPARES) {
        if (each.length() == length) {
          found = each.longs().get();
          SPARES.remove(each);
          break;
        }
      }
      keepWithin(FREE.availablePermits());
      return found;
    }
  }

  /** Forgets the spares of longest standing that exceed a sum. */
  private static void keepWithin(int kibibytes) {
    long sum = 0;
    for (Spare each : SPARES) {
      sum += each.kibibytes();
    }
    while (sum > kibibytes) {
      sum -= SPARES.removeLast().kibibytes();
    }
  }

  /** Returns the memory that is kept for the next hashes, in KiB. */
  static long spareKibibytes() {
    synchronized (SPARES) {
      return SPARES.stream().mapToLong(Spare::kibibytes).sum();
    }
  }
}
