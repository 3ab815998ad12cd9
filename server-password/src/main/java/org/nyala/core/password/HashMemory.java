package org.nyala.core.password;

import java.util.concurrent.Semaphore;

/**
 * The memory that checks of passwords may take at once, all threads together; further ones wait.
 *
 * <p>Thread-safe.
 */
final class HashMemory {
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

  private HashMemory() {}

  /**
   * Takes memory, once there is so much.
   *
   * @param kibibytes more than {@link #KIBIBYTES} count as that
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
}
