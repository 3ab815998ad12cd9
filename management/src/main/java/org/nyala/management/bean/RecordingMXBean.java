package org.nyala.management.bean;

import java.io.IOException;

/**
 * Flight recordings for clients of the JMX port. They choose neither events nor files, as they
 * could with the recorder of the JVM. Thread-safe.
 */
@Description("Flight recordings of the server, whose events are fixed.")
public interface RecordingMXBean {
  /** The name under which the bean is registered. */
  String NAME = "org.nyala:type=Recording";

  /** The number of recordings at a time, each of up to 256 MiB in the server's temporary folder. */
  int MOST = 2;

  /** The number of recordings that are held. */
  @Description("Recordings that are running or not fetched yet; at most 2.")
  int getRecordings();

  /**
   * Begins to record where threads wait for locks. The recording ends by itself.
   *
   * @param seconds its duration, 1 to {@value ContentionMXBean#MAXIMUM_SECONDS}
   * @return its number
   * @throws IllegalStateException if {@link #MOST} are held
   * @throws IllegalArgumentException if the seconds are out of bounds
   */
  @Description(
      "Begins to record where threads wait for locks, and ends by itself; returns its number.")
  long startLocks(@Description("Its duration, 1 to 3600 seconds.") int seconds) throws IOException;

  /**
   * Begins to record the activity of the server. The recording ends by itself.
   *
   * @param seconds its duration, 1 to {@value ContentionMXBean#MAXIMUM_SECONDS}
   * @param longerThanMicros omits operations that took no longer
   * @return its number
   * @throws IllegalStateException if {@link #MOST} are held
   * @throws IllegalArgumentException if the seconds are out of bounds
   */
  @Description(
      "Begins to record operations, with their names and filters, commits, and cheap events of the"
          + " JVM, and ends by itself; returns its number.")
  long startServer(
      @Description("Its duration, 1 to 3600 seconds.") int seconds,
      @Description("Leaves out operations that took no longer, in microseconds.")
          long longerThanMicros)
      throws IOException;

  /**
   * Ends a recording, unless it has ended, and returns its next bytes.
   *
   * @return at most a MiB; empty at the end
   * @throws IllegalStateException if it is not held any more
   */
  @Description("Ends a recording, unless it has ended, and returns its next bytes; empty: no more.")
  byte[] read(@Description("The number of the recording.") long number) throws IOException;

  /** Discards a recording; does nothing if it is not held any more. */
  @Description("Discards a recording.")
  void discard(@Description("The number of the recording.") long number) throws IOException;
}
