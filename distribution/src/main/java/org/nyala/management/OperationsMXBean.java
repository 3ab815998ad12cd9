package org.nyala.management;

import java.util.List;
import java.util.Map;

/** What clients ask for, and how long it takes. Thread-safe. */
@Description("What clients ask for, and how long it takes.")
public interface OperationsMXBean {
  /** The name under which the bean is registered. */
  String NAME = "org.nyala:type=Operations";

  /**
   * How often something took how long, in microseconds; percentiles are too long by an eighth at
   * most.
   *
   * @param count how often
   * @param totalMicros all together
   * @param medianMicros what half did not exceed
   * @param percentile90Micros what nine of ten did not exceed
   * @param percentile99Micros what 99 of 100 did not exceed
   * @param percentile999Micros what 999 of 1000 did not exceed
   */
  record Times(
      long count,
      long totalMicros,
      long medianMicros,
      long percentile90Micros,
      long percentile99Micros,
      long percentile999Micros) {}

  /**
   * One kind of request since the server started.
   *
   * @param operation bind, unbind, search, compare, modify, modifyDn, add, delete, abandon,
   *     extended
   * @param started requests that were carried out or are
   * @param completed those that have ended
   * @param results how many ended with which result code, as RFC 4511 writes them; abandoned for
   *     those without one
   * @param whole how long they took, from the first look at the request to the end of the answer
   * @param slices how long they held a thread at a time, but for slow hashes of passwords
   * @param phases what of that was each phase, of the requests that went through it
   */
  record Kind(
      String operation,
      long started,
      long completed,
      Map<String, Long> results,
      Times whole,
      Times slices,
      Map<String, Times> phases) {}

  /**
   * An operation that has begun and not ended.
   *
   * @param connection the number of its connection
   * @param messageId what the client calls it
   * @param operation its kind
   * @param identity on whose behalf it runs; empty for nobody in particular
   * @param request what it asks for, as the access log writes it
   * @param millis since it began
   */
  record Running(
      int connection,
      int messageId,
      String operation,
      String identity,
      String request,
      long millis) {}

  /** Operations that have begun and not ended. */
  @Description("Operations that have begun and not ended.")
  long getActive();

  /** Operations that were answered busy. */
  @Description("Operations that were answered busy because they had waited for too long.")
  long getRefused();

  /** What could not be decoded. */
  @Description("Requests that could not be decoded.")
  long getMalformed();

  /** What failed through the server's own fault. */
  @Description("What failed for a reason that is the server's; each is in the log.")
  long getInternalErrors();

  /** Entries sent. */
  @Description("Search result entries sent.")
  long getEntriesSent();

  /** Every kind of request. */
  @Description(
      "Every kind of request since the server started: counts, results, times of the whole, of its slices and of its phases.")
  List<Kind> getKinds();

  /** The longest time for which an operation held a thread. */
  @Description(
      "The longest time for which an operation held a thread before it looked whether others wait, in microseconds, since the server started or the last reset; 0 for none.")
  long getLongestSliceMicros();

  /** The longest processor time of a slice. */
  @Description(
      "The longest processor time of a slice, in microseconds, too long by 1000 at most, since the server started or the last reset; 0 for none. Virtual threads count the time on the clock.")
  long getLongestSliceProcessorMicros();

  /**
   * Resets {@link #getLongestSliceMicros()} and {@link #getLongestSliceProcessorMicros()}.
   *
   * @return the former
   */
  @Description("Resets LongestSliceMicros and LongestSliceProcessorMicros; returns the former.")
  long resetLongestSlice();

  /**
   * What has run for some time, the longest first; to list it asks every event loop.
   *
   * @param millis for how long, 0 for everything
   * @param most how many at most, 1 to 10000
   * @throws IllegalArgumentException if one is out of bounds
   */
  @Description("Operations that have run for some time and have not ended, the longest first.")
  List<Running> slow(
      @Description("For how many milliseconds at least; 0 for all.") long millis,
      @Description("How many at most, 1 to 10000.") int most);

  /**
   * Cancels an operation: it ends with the result canceled.
   *
   * @return false when there is none, or one that cannot be canceled: binds and cancels
   */
  @Description(
      "Cancels an operation, which then ends with the result canceled. False when there is none, or when it cannot be canceled.")
  boolean cancel(
      @Description("The number of its connection.") int connection,
      @Description("What the client calls it.") int messageId);
}
