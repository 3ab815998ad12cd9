package org.nyala.lmdb.env;

import java.nio.ByteBuffer;
import org.lmdbjava.Env;
import org.lmdbjava.EnvInfo;
import org.lmdbjava.LmdbException;
import org.lmdbjava.Txn;

/**
 * The size of the map of the data file, which grows before the file is full, at the latest after a
 * transaction that found no space, and never beyond its maximum.
 *
 * <p>At the maximum, a transaction that only deletes entries gets a head-room, because LMDB needs
 * pages to free pages; any other transaction finds the map at its maximum again.
 *
 * <p>LMDB does not reuse the pages that the last commit has freed. So the first transaction that
 * finds no space after a commit gets another attempt, after a commit that changes nothing.
 *
 * <p>Confined to the thread that holds the right to write, while no transaction is open.
 */
public final class MapSize {
  @FunctionalInterface
  public interface Resizer {
    /** Sets the size; false if that is impossible, because reads do not end. */
    boolean resize(long bytes);
  }

  private static final long LEAST_HEAD_ROOM = 1L << 20;
  private static final long MOST_HEAD_ROOM = 256L << 20;

  private final LmdbEnvironment environment;
  private final Resizer resizer;
  private volatile long maximum;
  private boolean isFull;
  private long fullAtBytes;

  /** True if pages that the last commit has freed can be used. */
  private boolean isFreedUsable;

  /** True if they are to be made usable before the next transaction. */
  private boolean mustFree;

  /**
   * Creates the size of an environment's map.
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
   * @return true if the next transaction may have more space: the map can grow, and has grown since
   *     the previous call, if there was one; or the last commit has freed pages
   */
  boolean full() {
    isFull = true;
    long size = environment.env().info().mapSize;
    mustFree = size >= maximum && !isFreedUsable;
    boolean mayGrow = size < maximum && size != fullAtBytes;
    fullAtBytes = size;
    return mayGrow || mustFree;
  }

  /** Notes that a transaction was committed, which may have freed pages. */
  void committed() {
    isFreedUsable = false;
  }

  /** Returns the size that the map may grow to. */
  public long maximum() {
    return maximum;
  }

  /**
   * Sets another size that the map may grow to; the next transaction adjusts the map. May be called
   * by any thread.
   */
  public void maximum(long bytes) {
    maximum = bytes;
  }

  /** Notes that a transaction found space beyond the head-room. */
  void notFull() {
    isFull = false;
  }

  /** Returns whether the last transaction found no space, and the map cannot grow. */
  boolean isFull() {
    return isFull;
  }

  /** Adjusts the map for the next transaction, as far as that is possible. */
  public void prepare() {
    adjust();
    if (mustFree) {
      mustFree = false;
      if (environment.env().info().mapSize >= maximum) {
        makeFreedUsable();
        adjust();
      }
    }
  }

  /** Makes the pages usable that the last commit has freed, by another one that changes nothing. */
  private void makeFreedUsable() {
    isFreedUsable = true;
    addHeadRoom();
    try (Txn<ByteBuffer> txn = environment.beginChange()) {
      environment.rewriteSomething(txn);
      txn.commit();
    } catch (Env.MapFullException _) {
      // No worse than before: the change that needs the space says so.
    } catch (LmdbException e) {
      throw environment.unavailable(e);
    }
  }

  private void adjust() {
    EnvInfo info = environment.env().info();
    long used = (info.lastPageNumber + 1) * environment.pageBytes();
    long size = info.mapSize;
    long most = maximum;
    if (size > most) {
      boolean isBack = used >= size || resizer.resize(Math.max(most, used));
      isFull |= !isBack;
    } else if (size < most && (isFull || used > size - size / 8)) {
      long doubled = size > most / 2 ? most : 2 * size;
      if (resizer.resize(doubled)) {
        isFull = false;
      }
    }
  }

  /** Adds the head-room; false if that is impossible. */
  public boolean addHeadRoom() {
    long room = Math.max(LEAST_HEAD_ROOM, Math.min(MOST_HEAD_ROOM, maximum / 16));
    long size = Math.max(maximum, environment.env().info().mapSize);
    return resizer.resize(size + room);
  }
}
