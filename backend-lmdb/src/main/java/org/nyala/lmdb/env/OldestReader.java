package org.nyala.lmdb.env;

import java.util.Comparator;
import java.util.List;

/**
 * The oldest read that is open while other threads commit, in any process, and the time since which
 * it has been seen. Thread-safe.
 *
 * <p>Reads record no time when they begin: that would cost all of them something for the sake of
 * few.
 */
public final class OldestReader {
  private long seenSnapshot = -1;
  private long seenNanos;

  /**
   * The state of the oldest reader at one moment.
   *
   * @param behind commits since it began; 0 if every read sees the last one
   * @param nanos time for which it has been seen, at least
   * @param process its process; 0 if every read sees the last commit
   */
  public record State(long behind, long nanos, long process) {}

  /** Examines the readers of this moment. */
  public synchronized State look(
      List<ReaderSlots.Place> places, long lastTransaction, long nowNanos) {
    ReaderSlots.Place oldest =
        places.stream().min(Comparator.comparingLong(ReaderSlots.Place::snapshot)).orElse(null);
    if (oldest == null || oldest.snapshot() >= lastTransaction) {
      seenSnapshot = -1;
      return new State(0, 0, 0);
    }
    if (oldest.snapshot() != seenSnapshot) {
      seenSnapshot = oldest.snapshot();
      seenNanos = nowNanos;
    }
    return new State(lastTransaction - oldest.snapshot(), nowNanos - seenNanos, oldest.process());
  }
}
