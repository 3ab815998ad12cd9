package org.nyala.loadtest.workload;

/**
 * The content synchronization (RFC 4533) that {@code scan} and {@code follow} ask for. Immutable.
 *
 * @param isWanted true if a scan is one
 * @param cookie the cookie to begin from; empty for the whole content
 */
public record Synchronization(boolean isWanted, String cookie) {
  /** Scans as they are without it, and the whole content for those who follow. */
  public static final Synchronization NONE = new Synchronization(false, "");

  /**
   * Returns whether a job may ask for it: scans do if it is wanted, and those who follow always.
   */
  boolean goesWith(JobKind job) {
    return isWanted ? job == JobKind.SCAN : cookie.isEmpty() || job == JobKind.FOLLOW;
  }
}
