package org.nyala.core.update;

/**
 * A source of the pauses of a writer between two commits. Updates that arrive meanwhile go into the
 * next commit.
 *
 * <p>Confined to the writer's thread, the one that made it.
 */
@FunctionalInterface
public interface CommitPacer {
  /** Never rests. */
  CommitPacer UNPACED = _ -> 0;

  /** A factory of pacers, called on the writer's thread. Thread-safe. */
  @FunctionalInterface
  interface Source {
    /** No writer rests. */
    Source UNPACED = () -> CommitPacer.UNPACED;

    /** Creates the pacer of one writer. */
    CommitPacer start();
  }

  /**
   * Returns the time to rest now, in nanoseconds, 0 for no rest; called once after each commit.
   * Throws nothing: the writer would end.
   *
   * @param updates the number of updates answered since the last call
   */
  long restNanos(int updates);
}
