package org.nyala.cluster;

/**
 * The place of an entry in a {@link ReplicatedLog}. Immutable.
 *
 * <p>Two entries with the same index and different terms are different: at most one of them is ever
 * committed (Ongaro, Ousterhout 2014, section 5.3).
 *
 * @param term the term of the leader that appended the entry, 0 or above
 * @param index the number of the entry in the log, from 0 up
 */
public record LogPosition(long term, long index) implements Comparable<LogPosition> {
  /** The place before the first entry. */
  public static final LogPosition NONE = new LogPosition(0, -1);

  @Override
  public int compareTo(LogPosition other) {
    return Long.compare(index, other.index);
  }
}
