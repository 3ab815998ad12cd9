package org.nyala.loadtest.workload;

/** The exit codes of the program. */
public final class ExitCode {
  /** All answers were right. */
  public static final int OK = 0;

  /** The test failed, or answers were wrong. */
  public static final int FAILED = 1;

  /** The command line was wrong. */
  public static final int USAGE = 2;

  /** All answers were right, but the load tester itself was delayed too much. */
  public static final int DISTURBED = 3;

  private ExitCode() {}
}
