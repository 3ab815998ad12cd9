package org.nyala.core.traffic;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.nyala.core.dn.Dn;

/**
 * A row of the table: the sums of one shape, in stripes so that threads do not share them.
 *
 * <p>Thread-safe. Hot: adding allocates nothing, and nobody waits. A thread takes the first stripe
 * that no other thread has just now, and adds to it without further atomic operations; if all are
 * taken, it adds atomically to one that is never taken.
 */
final class ShapeRow {
  /* The marks of a search that has ended. */
  static final int SCANNED = 1;
  static final int WHOLE = 1 << 1;
  static final int SIZE_LIMITED = 1 << 2;
  static final int TIME_LIMITED = 1 << 3;
  static final int LOOKED_THROUGH = 1 << 4;

  private static final int MARKS = 5;

  /** The longs between two stripes: two cache lines. */
  private static final int STRIDE = 16;

  private static final int MOST_STRIPES = 8;
  private static final int STRIPES =
      Math.min(
          MOST_STRIPES, Integer.highestOneBit(2 * Runtime.getRuntime().availableProcessors() - 1));

  /* The places in a stripe. */
  private static final int COUNT = 0;
  private static final int NANOS = 1;
  private static final int READ = 2;
  private static final int RETURNED = 3;
  private static final int LONGEST = 4;
  private static final int LAST = 5;
  private static final int FIRST_MARK = 6;
  private static final int TAKEN = FIRST_MARK + MARKS;

  /** Of quick searches, the client of one in this many is noted. */
  private static final int SAMPLED = 16;

  /** From this time on, the client of every search is noted. */
  private static final long SLOW_NANOS = 1_000_000;

  private final long hash;
  private final int number;
  private final SearchShape shape;
  private final long bornNanos;
  private final AtomicLongArray cells = new AtomicLongArray((STRIPES + 1) * STRIDE);
  private final AtomicLong charged = new AtomicLong();
  private final ShapeClients clients = new ShapeClients();

  /**
   * Creates a row.
   *
   * @param bornNanos the present time, like all others since the table was created
   */
  ShapeRow(long hash, int number, SearchShape shape, long bornNanos) {
    this.hash = hash;
    this.number = number;
    this.shape = shape;
    this.bornNanos = bornNanos;
  }

  long hash() {
    return hash;
  }

  /**
   * Adds a search that has ended.
   *
   * @param marks what it was besides
   * @param nowNanos the present time
   * @return true if its client is to be {@linkplain #client noted}
   */
  boolean add(long nanos, long read, long returned, int marks, long nowNanos) {
    int own = (int) Thread.currentThread().threadId();
    long before = -1;
    for (int i = 0; i < STRIPES && before < 0; i++) {
      int at = (own + i & STRIPES - 1) * STRIDE;
      if (cells.weakCompareAndSetAcquire(at + TAKEN, 0, 1)) {
        before = addAlone(at, nanos, read, returned, marks, nowNanos);
        cells.setRelease(at + TAKEN, 0);
      }
    }
    if (before < 0) {
      before = addBesideOthers(nanos, read, returned, marks, nowNanos);
    }
    return before % SAMPLED == 0 || nanos >= SLOW_NANOS;
  }

  /** Adds to a stripe that this thread has taken; returns its number of searches before. */
  private long addAlone(int at, long nanos, long read, long returned, int marks, long nowNanos) {
    long before = cells.getPlain(at + COUNT);
    cells.setOpaque(at + COUNT, before + 1);
    increase(at + NANOS, nanos);
    increase(at + READ, read);
    increase(at + RETURNED, returned);
    if (nanos > cells.getPlain(at + LONGEST)) {
      cells.setOpaque(at + LONGEST, nanos);
    }
    cells.setOpaque(at + LAST, nowNanos);
    for (int i = 0, rest = marks; rest != 0; i++, rest >>>= 1) {
      increase(at + FIRST_MARK + i, rest & 1);
    }
    return before;
  }

  private void increase(int place, long by) {
    cells.setOpaque(place, cells.getPlain(place) + by);
  }

  /** Adds to the last stripe; returns its number of searches before. */
  long addBesideOthers(long nanos, long read, long returned, int marks, long nowNanos) {
    int at = STRIPES * STRIDE;
    long before = cells.getAndAdd(at + COUNT, 1);
    cells.getAndAdd(at + NANOS, nanos);
    cells.getAndAdd(at + READ, read);
    cells.getAndAdd(at + RETURNED, returned);
    cells.accumulateAndGet(at + LONGEST, nanos, Math::max);
    cells.setOpaque(at + LAST, nowNanos);
    for (int i = 0, rest = marks; rest != 0; i++, rest >>>= 1) {
      cells.getAndAdd(at + FIRST_MARK + i, rest & 1);
    }
    return before;
  }

  /** Notes the client of a search. */
  void client(Dn name, Object address, long nanos) {
    clients.add(name, address, nanos >= SLOW_NANOS ? nanos : SAMPLED * nanos);
  }

  /** Takes the time of a search whose shape found no place off the right of this one to its own. */
  void charge(long nanos) {
    charged.getAndAdd(nanos);
  }

  /** Returns the time by which this shape outweighs those that found no place. */
  long credit() {
    return nanos() - charged.get();
  }

  long count() {
    return sum(COUNT);
  }

  long nanos() {
    return sum(NANOS);
  }

  private long sum(int place) {
    long sum = 0;
    for (int i = place; i < cells.length(); i += STRIDE) {
      sum += cells.get(i);
    }
    return sum;
  }

  private long greatest(int place) {
    long greatest = 0;
    for (int i = place; i < cells.length(); i += STRIDE) {
      greatest = Math.max(greatest, cells.get(i));
    }
    return greatest;
  }

  /** Returns the figures at a time. */
  ShapeFigures figures(long nowNanos) {
    return new ShapeFigures(
        number,
        shape,
        count(),
        nanos(),
        greatest(LONGEST),
        sum(READ),
        sum(RETURNED),
        sum(FIRST_MARK),
        sum(FIRST_MARK + 1),
        sum(FIRST_MARK + 2),
        sum(FIRST_MARK + 3),
        sum(FIRST_MARK + 4),
        Math.max(0, nowNanos - bornNanos),
        Math.max(0, nowNanos - Math.max(bornNanos, greatest(LAST))),
        clients.list());
  }
}
