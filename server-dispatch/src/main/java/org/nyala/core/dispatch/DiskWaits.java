package org.nyala.core.dispatch;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The recent waits for the disk of a connection's operations: while they cost more than a change of
 * threads would, the connection keeps off the event loops.
 *
 * <p>A balance of microseconds: an operation adds the time that it waited, and one that did not
 * wait takes off the price of a change of threads. The connection goes away at {@value
 * #AWAY_MICROS}, and comes back at 0. The balance has an upper limit, which each wait doubles and
 * operations without one lower again: a single wait of a connection that has none otherwise keeps
 * it away for a short time, in which it stands in line with those that wait.
 *
 * <p>Thread-safe: of two records at a time one may be lost in part. Hot: an operation that did not
 * wait, on a connection that has no recent waits, costs two reads.
 */
final class DiskWaits {
  /** The price of a way to another thread and back, in microseconds. */
  static final int CHANGE_MICROS = 50;

  /**
   * The balance at which a connection goes away: one wait for a slow disk, or some for a fast one.
   */
  static final int AWAY_MICROS = 1_000;

  /**
   * The greatest limit of the balance, after which some three hundred operations in a row must not
   * wait: until then, a connection that has a few in a hundred wait for a slow disk would delay all
   * others of its loop each time that it came back.
   */
  static final int MOST_MICROS = 16_000;

  /**
   * The same for young connections together: one client that connects for operations that wait
   * cannot keep all others away for long.
   */
  static final int MOST_MICROS_OF_YOUNG = 4_000;

  /** The operations without a wait that halve the limit, in the order of their recording. */
  static final int HALVED_BY = 16;

  /** Halves the limit as often as that at most. */
  private static final int MOST_HALVINGS = 4;

  private static final int NANOS_PER_MICRO = 1_000;

  private final int mostMicros;

  /** The balance, negative while the connection is away. */
  private final AtomicInteger signedMicros = new AtomicInteger();

  /** The operations without a wait that count for the limit, {@value #HALVED_BY} for a halving. */
  private final AtomicInteger trust = new AtomicInteger(MOST_HALVINGS * HALVED_BY);

  /** Creates an object without waits. */
  DiskWaits(int mostMicros) {
    this.mostMicros = mostMicros;
  }

  /** Returns whether operations are to stay off the event loops. */
  boolean isAway() {
    return signedMicros.getOpaque() < 0;
  }

  /** Returns whether there were no waits of late. */
  boolean isClear() {
    return signedMicros.getOpaque() == 0;
  }

  /** Records an operation, or a part of one, that waited for the disk. */
  void waited(long nanos) {
    int left = Math.max(trust.getOpaque() - HALVED_BY, 0);
    trust.setOpaque(left);
    int limit = Math.max(mostMicros >> left / HALVED_BY, AWAY_MICROS);
    signedMicros.updateAndGet(before -> increased(before, nanos / NANOS_PER_MICRO, limit));
  }

  private static int increased(int before, long waitedMicros, int limit) {
    int balance = Math.abs(before);
    int micros = Math.max(balance, (int) Math.min(balance + waitedMicros, limit));
    return before < 0 || micros >= AWAY_MICROS ? -micros : micros;
  }

  /** Records an operation that did not wait. */
  void didNotWait() {
    int before = signedMicros.getOpaque();
    if (before != 0) {
      int micros = Math.max(Math.abs(before) - CHANGE_MICROS, 0);
      signedMicros.compareAndSet(before, before < 0 ? -micros : micros);
    }
    int trusted = trust.getOpaque();
    if (trusted < MOST_HALVINGS * HALVED_BY) {
      trust.setOpaque(trusted + 1);
    }
  }
}
