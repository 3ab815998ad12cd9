package org.nyala.core.budget;

/**
 * The bytes that clients may make the server hold.
 *
 * <p>Immutable.
 *
 * @param wholeBytes all of them together
 * @param ownerBytes one identity, or all of one address that have not bound
 * @param connectionBytes one connection
 * @param operationBytes what one operation may allocate in the heap beyond what its slices need,
 *     garbage included
 */
public record MemoryBounds(
    long wholeBytes, long ownerBytes, long connectionBytes, long operationBytes) {
  /** The default share of the whole that one identity may hold. */
  public static final int OWNER_PERCENT = 35;

  /**
   * The default share of one connection, which is smaller: a connection that is stuck leaves room
   * for the others.
   */
  public static final int CONNECTION_PERCENT = 25;

  /** The smallest whole in bytes: below it, even small requests would be refused. */
  public static final long WHOLE_MINIMUM = 1 << 20;

  /** The heap belongs to caches, answers in the making and collections of garbage as well. */
  private static final int HEAP_PART = 3;

  /** Buffers come in chunks of megabytes, of which one byte keeps the rest. */
  private static final int DIRECT_PART = 2;

  private static final int CACHE_PART = 8;

  /** Rejects bounds that leave no room. */
  public MemoryBounds {
    if (wholeBytes < WHOLE_MINIMUM || ownerBytes < 1 || connectionBytes < 1 || operationBytes < 1) {
      throw new IllegalArgumentException(
          "bounds of memory "
              + wholeBytes
              + ", "
              + ownerBytes
              + ", "
              + connectionBytes
              + ", "
              + operationBytes);
    }
  }

  /** Bounds of what is held, in the heap of this process. */
  public MemoryBounds(long wholeBytes, long ownerBytes, long connectionBytes) {
    this(wholeBytes, ownerBytes, connectionBytes, operationOf(Runtime.getRuntime().maxMemory()));
  }

  /** Shares of a whole, in percent. */
  public static MemoryBounds of(long wholeBytes, int ownerPercent, int connectionPercent) {
    return new MemoryBounds(
        wholeBytes,
        Math.max(1, wholeBytes / 100 * ownerPercent),
        Math.max(1, wholeBytes / 100 * connectionPercent));
  }

  /** Returns the same with another bound of what one operation may allocate. */
  public MemoryBounds withOperation(long bytes) {
    return new MemoryBounds(wholeBytes, ownerBytes, connectionBytes, bytes);
  }

  /** Returns the bytes that one operation may allocate: as many as all clients may hold. */
  public static long operationOf(long heapBytes) {
    return Math.max(WHOLE_MINIMUM, heapBytes / HEAP_PART);
  }

  /** The bounds that follow from the memory there is: the heap, and buffers outside it. */
  public static MemoryBounds derived(long heapBytes, long directBytes) {
    return of(wholeOf(heapBytes, directBytes), OWNER_PERCENT, CONNECTION_PERCENT);
  }

  /**
   * Returns the bytes of {@code wantedBytes} that a cache shared by all clients gets in this heap.
   */
  public static long cacheOf(long wantedBytes) {
    return Math.min(wantedBytes, Runtime.getRuntime().maxMemory() / CACHE_PART);
  }

  /** The whole that follows from the memory there is, in bytes. */
  public static long wholeOf(long heapBytes, long directBytes) {
    return Math.max(WHOLE_MINIMUM, Math.min(heapBytes / HEAP_PART, directBytes / DIRECT_PART));
  }
}
