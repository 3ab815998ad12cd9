package org.nyala.management.bean;

import java.util.List;

/**
 * Long-running jobs: backups, compactions, and indexes that are built or deleted, beside the
 * requests of clients. Thread-safe.
 */
@Description(
    "Long-running jobs beside the requests of clients: backups, compactions, and indexes that "
        + "are built or deleted.")
public interface JobsMXBean {
  /** The name under which the bean is registered. */
  String NAME = "org.nyala:type=Jobs";

  /** The {@link Job#state} of a running job. */
  String RUNNING = "running";

  /** The {@link Job#state} of a completed job. */
  String DONE = "done";

  /** The {@link Job#state} of a failed job, whose message gives the reason. */
  String FAILED = "failed";

  /**
   * The maximum number of remembered jobs, and of running ones; running jobs are never forgotten.
   */
  int REMEMBERED = 100;

  /**
   * A job.
   *
   * @param number 1 for the first since the server started
   * @param work the work, such as {@code index add title:eq}, {@code backup /backups/1} or {@code
   *     compact}
   * @param state running, done or failed
   * @param startMillis when it began, in milliseconds since 1970
   * @param endMillis when it ended, likewise; 0 while it runs
   * @param done the completed amount: bytes of a copy, entries of an index
   * @param total the total amount; 0 if unknown
   * @param message one line with its progress or result
   */
  record Job(
      long number,
      String work,
      String state,
      long startMillis,
      long endMillis,
      long done,
      long total,
      String message) {}

  /** Returns the jobs, the latest last. */
  @Description(
      "The jobs since the server started, the latest last; at most 100 are "
          + "remembered, and ended ones are forgotten first.")
  List<Job> getJobs();

  @Description("The number of running jobs.")
  int getRunning();

  /**
   * Begins a backup.
   *
   * @param directory a folder on the server's machine, as an absolute path; created if it does not
   *     exist, and rejected unless it is empty
   * @return the number of the job
   * @throws IllegalArgumentException if the path is not absolute
   * @throws IllegalStateException if a backup or a compaction is already running
   */
  @Description("Begins a backup of the current data; returns the number of the job.")
  long backUp(
      @Description("A new or empty folder on the server's machine, as an absolute path.")
          String directory);

  /**
   * Begins to replace the data file by a copy without free pages.
   *
   * @return the number of the job
   * @throws IllegalStateException if another job is running
   */
  @Description(
      "Begins to replace the data file by a copy without free pages, while clients search and "
          + "change; returns the number of the job.")
  long compact();

  /**
   * Begins to build an index.
   *
   * @param index an attribute, and kinds of index after a colon
   * @return the number of the job
   * @throws IllegalArgumentException if such an index is not possible; nothing was changed
   */
  @Description(
      "Begins to build an index, which searches use when it is complete; returns the "
          + "number of the job.")
  long addIndex(
      @Description("An attribute and kinds of index, such as title:eq,sub; eq without kinds.")
          String index);

  /**
   * Begins to delete and build an index again.
   *
   * @param index as for {@link #addIndex}; all existing kinds if none is named
   * @return the number of the job
   * @throws IllegalArgumentException if such an index is not possible; nothing was changed
   */
  @Description("Begins to delete and rebuild an index; returns the number of the job.")
  long rebuildIndex(
      @Description(
              "An attribute and kinds of index, such as title:eq; without kinds, all "
                  + "existing ones.")
          String index);

  /**
   * Removes an index: no search uses it from now on.
   *
   * @param index as for {@link #rebuildIndex}
   * @return the number of the job that deletes its keys
   * @throws IllegalArgumentException if such an index is not possible; nothing was changed
   */
  @Description(
      "Removes an index: no search uses it from now on. Returns the number of the "
          + "job that deletes its keys.")
  long dropIndex(
      @Description(
              "An attribute and kinds of index, such as title:eq; without kinds, all "
                  + "existing ones.")
          String index);
}
