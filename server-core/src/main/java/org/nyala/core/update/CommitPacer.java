package org.nyala.core.update;

/**
 * Says how long a writer rests between two commits. What arrives meanwhile goes into the next
 * commit.
 *
 * <p>Confined to the writer's thread, the one that made it.
 */
@FunctionalInterface
public interface CommitPacer {
  /** Never rests. */
  CommitPacer UNPACED = _ -> 0;

  /** Makes the pace of a writer, on the writer's thread. Thread-safe. */
  @FunctionalInterface
  interface Source {
    /** No writer rests. */
    Source UNPACED = () -> CommitPacer.UNPACED;

    /** Makes the pace of one writer. */
    CommitPacer start();
  }

  /**
   * How long to rest now, in nanoseconds, 0 for not at all; asked once after each commit. Throws
   * nothing: the writer would end.
   *
   * @param updates how many updates have been answered since the last time
   */
  long restNanos(int updates);
}
