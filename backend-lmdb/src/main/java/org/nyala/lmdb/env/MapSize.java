package org.nyala.lmdb.env;

import org.lmdbjava.EnvInfo;

/**
 * How large the map of the data file is, and when it grows: in time where the file fills up, at the
 * latest after a transaction that found no room, and never beyond its maximum.
 *
 * <p>At the maximum, what deletes entries gets a head-room, because LMDB needs pages to free pages;
 * whatever else comes finds the map at its maximum again.
 *
 * <p>Confined to whoever holds the right to write, while no transaction is open.
 */
public final class MapSize {
  /** Sets the size of the map. */
  @FunctionalInterface
  public interface Resizer {
    /** Does so; false when that cannot be, because reads do not end. */
    boolean resize(long bytes);
  }

  private static final long LEAST_HEAD_ROOM = 1L << 20;
  private static final long MOST_HEAD_ROOM = 256L << 20;

  private final LmdbEnvironment environment;
  private final long maximum;
  private final Resizer resizer;
  private boolean isFull;
  private long fullAtBytes;

  /**
   * Watches an environment.
   *
   * @param resizer sets the size of the map
   */
  public MapSize(LmdbEnvironment environment, long maximum, Resizer resizer) {
    this.environment = environment;
    this.maximum = maximum;
    this.resizer = resizer;
  }

  /**
   * Notes that a transaction found no room.
   *
   * @return whether the next one may have more: the map can grow, and has grown since this was last
   *     asked, unless nobody did
   */
  boolean full() {
    isFull = true;
    long size = environment.env().info().mapSize;
    boolean mayGrow = size < maximum && size != fullAtBytes;
    fullAtBytes = size;
    return mayGrow;
  }

  /** What the map may grow to. */
  public long maximum() {
    return maximum;
  }

  /** Notes that a transaction found room that was no head-room. */
  void notFull() {
    isFull = false;
  }

  /** Whether the last transaction found no room, and the map cannot grow. */
  boolean isFull() {
    return isFull;
  }

  /** Makes the map what it should be for the next transaction, as far as that can be done. */
  public void prepare() {
    EnvInfo info = environment.env().info();
    long used = (info.lastPageNumber + 1) * environment.pageBytes();
    long size = info.mapSize;
    if (size > maximum) {
      boolean isBack = used >= size || resizer.resize(Math.max(maximum, used));
      isFull |= !isBack;
    } else if (size < maximum && (isFull || used > size - size / 8)) {
      long doubled = size > maximum / 2 ? maximum : 2 * size;
      if (resizer.resize(doubled)) {
        isFull = false;
      }
    }
  }

  /** Gives the head-room; false when that cannot be done. */
  public boolean addHeadRoom() {
    long room = Math.max(LEAST_HEAD_ROOM, Math.min(MOST_HEAD_ROOM, maximum / 16));
    long size = Math.max(maximum, environment.env().info().mapSize);
    return resizer.resize(size + room);
  }
}
