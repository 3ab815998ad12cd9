package org.nyala.error;

/**
 * The exit codes of {@code bin/nyala}; part of its public interface, so they never change meaning.
 */
public final class ExitCode {
  /** The command succeeded. */
  public static final int OK = 0;

  /** The command failed; one line on standard error gives the reason. */
  public static final int FAILED = 1;

  /** A difference was found by {@code compare}, which ends with {@link #USAGE} if it fails. */
  public static final int DIFFERENT = 1;

  /** The command line or the configuration is wrong; nothing was done. */
  public static final int USAGE = 2;

  /**
   * There is no running server to stop or to report on. The JVM itself exits with it if a server
   * runs out of memory.
   */
  public static final int NOT_RUNNING = 3;

  /** A server already runs on this data directory. */
  public static final int ALREADY_RUNNING = 4;

  /** Some entries were, or would be, rejected by an import, or some access rules left out. */
  public static final int REJECTED = 5;

  /**
   * The data directory, a backup, or a list of breached passwords is not sound, or servers differ.
   */
  public static final int UNSOUND = 6;

  /** A server runs, but does not respond. */
  public static final int NOT_ANSWERING = 7;

  /** The data directory or the folder of the run files cannot be written to. */
  public static final int UNWRITABLE = 8;

  /** The changes since a cookie are no longer kept, or the data lacks changes of it. */
  public static final int TOO_OLD = 9;

  /**
   * The store failed while it was served, by an error of the disk after which the data file could
   * not be opened again as it was. A service manager starts the server anew.
   */
  public static final int STORE_FAILED = 10;

  /** A server runs and responds, but a copy of another server has not been up to date for long. */
  public static final int NOT_READY = 11;

  /** A server runs and responds, but reports an alarm, as that the disk is nearly full. */
  public static final int ALARM = 12;

  /** An examination has found something that will fail, or is not as it was meant. */
  public static final int WARNED = 13;

  /** An examination has found something that fails. */
  public static final int FAULTY = 14;

  private ExitCode() {}
}
