package org.nyala.cluster.raft;

import java.util.EnumSet;
import java.util.Set;

/**
 * The precautions against faults of Ratis that are in force. Immutable.
 *
 * <p>All are, but in tests that see a fault come without one.
 *
 * @param kinds those in force
 */
record Precautions(Set<Kind> kinds) {
  /** All of them. */
  static final Precautions ALL = new Precautions(EnumSet.allOf(Kind.class));

  /** A precaution. */
  enum Kind {
    /** Appends of a follower are not composed. */
    APPENDS_APART,
    /** Linearizable reads wait for an entry of the log, not for a read index. */
    BARRIER_ENTRIES,
    /** A log that ends before the state is dropped before the start. */
    SHORT_LOG_DROPPED,
    /** Members are added as voters at once, not as listeners first. */
    VOTERS_AT_ONCE,
    /** A proposal that waits too long is told to be unknown. */
    DEADLINE
  }

  Precautions {
    kinds = Set.copyOf(kinds);
  }

  boolean contains(Kind kind) {
    return kinds.contains(kind);
  }

  /** Returns the others. */
  Precautions without(Kind kind) {
    EnumSet<Kind> others = EnumSet.copyOf(kinds);
    others.remove(kind);
    return new Precautions(others);
  }
}
