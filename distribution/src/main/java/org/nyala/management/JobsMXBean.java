package org.nyala.management;

import java.util.List;

/**
 * Work that takes long: backups, and indexes that are built or deleted, beside the requests of
 * clients. Thread-safe.
 */
@Description(
    "Work that takes long, beside the requests of clients: backups, and indexes that are built or"
        + " deleted.")
public interface JobsMXBean {
  /** The name under which the bean is registered. */
  String NAME = "org.nyala:type=Jobs";

  /** {@link Job#state} of one that goes on. */
  String RUNNING = "running";

  /** {@link Job#state} of one that is done. */
  String DONE = "done";

  /** {@link Job#state} of one that has failed; its message says why. */
  String FAILED = "failed";

  /**
   * The most jobs that are remembered, and the most that go on; those that go on are not forgotten.
   */
  int REMEMBERED = 100;

  /**
   * A job.
   *
   * @param number 1 for the first since the server started
   * @param work what is done, such as {@code index add title:eq} or {@code backup /backups/1}
   * @param state running, done or failed
   * @param startMillis when it began, in milliseconds since 1970
   * @param endMillis when it ended, likewise; 0 while it goes on
   * @param done how much is done: bytes of a backup, entries of an index
   * @param total how much there is to do; 0 where that is not known
   * @param message one line on how far it is, or what it came to
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

  /** The jobs, the last one last. */
  @Description(
      "The jobs since the server started, the last one last; at most 100 are remembered, of which those that have ended go first.")
  List<Job> getJobs();

  /** How many go on. */
  @Description("How many jobs go on.")
  int getRunning();

  /**
   * Begins a backup.
   *
   * @param directory a folder of the server's machine, as an absolute path; made where there is
   *     none, and refused where anything is in it
   * @return the number of the job
   * @throws IllegalArgumentException if the path is not absolute
   * @throws IllegalStateException if a backup goes on already
   */
  @Description("Begins a backup of the data as it is now. The number of the job.")
  long backUp(
      @Description("A new or empty folder of the server's machine, as an absolute path.")
          String directory);

  /**
   * Begins to build an index.
   *
   * @param index an attribute, and kinds of index after a colon
   * @return the number of the job
   * @throws IllegalArgumentException if there cannot be such an index; nothing was changed
   */
  @Description(
      "Begins to build an index; searches use it when it is complete. The number of the job.")
  long addIndex(
      @Description("An attribute and kinds of index, such as title:eq,sub; eq without kinds.")
          String index);

  /**
   * Begins to delete and build an index again.
   *
   * @param index as for {@link #addIndex}; all kinds that there are where none is named
   * @return the number of the job
   * @throws IllegalArgumentException if there cannot be such an index; nothing was changed
   */
  @Description("Begins to delete an index and to build it again. The number of the job.")
  long rebuildIndex(
      @Description("An attribute and kinds of index, such as title:eq; all of its without kinds.")
          String index);

  /**
   * Takes an index away: no search uses it from now on.
   *
   * @param index as for {@link #rebuildIndex}
   * @return the number of the job that deletes its keys
   * @throws IllegalArgumentException if there cannot be such an index; nothing was changed
   */
  @Description(
      "Takes an index away: no search uses it from now on. The number of the job that deletes its"
          + " keys.")
  long dropIndex(
      @Description("An attribute and kinds of index, such as title:eq; all of its without kinds.")
          String index);
}
