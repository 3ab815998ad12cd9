package org.nyala.lmdb.env;

import java.util.Comparator;
import java.util.List;

/**
 * The oldest read that is open while others commit, in whichever process, and since when it has
 * been seen. Thread-safe.
 *
 * <p>Reads note no time when they begin: that would cost all of them something for the sake of few.
 */
public final class OldestReader {
  private long seenSnapshot = -1;
  private long seenNanos;

  /**
   * What is known of it at one moment.
   *
   * @param behind commits since it began; 0 where every read sees the last one
   * @param nanos for how long it has been seen at least
   * @param process whose it is; 0 where every read sees the last commit
   */
  public record State(long behind, long nanos, long process) {}

  /** Looks at those that read now. */
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
