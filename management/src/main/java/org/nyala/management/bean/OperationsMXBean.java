package org.nyala.management.bean;

import java.util.List;
import java.util.Map;

/** The requests of clients, and their durations. Thread-safe. */
@Description("The requests of clients, and their durations.")
public interface OperationsMXBean {
  /** The name under which the bean is registered. */
  String NAME = "org.nyala:type=Operations";

  /**
   * The distribution of durations in microseconds; percentiles are too long by an eighth at most.
   *
   * @param count the number of durations
   * @param totalMicros their sum
   * @param medianMicros the duration that half did not exceed
   * @param percentile90Micros the duration that nine of ten did not exceed
   * @param percentile99Micros the duration that 99 of 100 did not exceed
   * @param percentile999Micros the duration that 999 of 1000 did not exceed
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
   * @param started requests that were executed or are being executed
   * @param completed those that have ended
   * @param results the number of requests by result code, as RFC 4511 writes it; abandoned for
   *     those without one
   * @param whole their durations, from the first look at the request to the end of the answer
   * @param slices the durations for which they held a thread at a time, except for slow password
   *     hashes
   * @param phases the durations of each phase, of the requests that went through it
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
   * @param messageId the client's message ID
   * @param operation its kind
   * @param identity the DN that it runs as; empty if anonymous
   * @param request the request as in the access log
   * @param millis since it began
   * @param isLasting whether it goes on until its client ends it, as that of a server that copies
   *     this one
   */
  record Running(
      int connection,
      int messageId,
      String operation,
      String identity,
      String request,
      long millis,
      boolean isLasting) {}

  /**
   * The slow requests of one client that have ended, of one operation and shape.
   *
   * @param client the DN that they ran as; the address of clients that have not bound
   * @param operation bind, search, compare, modify, modifyDn, add, delete or extended
   * @param shape the scope and the filter of a search with {@code ?} for each value, the attributes
   *     of a change, the mechanism of a bind; empty if there is none
   * @param count the number of slow requests
   * @param longestMillis the longest time of one
   * @param totalMillis the time of all
   * @param last the end of the last one, in UTC as ISO 8601 writes it
   */
  record SlowRequest(
      String client,
      String operation,
      String shape,
      long count,
      long longestMillis,
      long totalMillis,
      String last) {}

  /** Every kind of request. */
  @Description(
      "Every kind of request since the server started: counts, results, durations of "
          + "the whole, of its slices and of its phases.")
  List<Kind> getKinds();

  /**
   * Resets the longest slices, by the clock and by processor time.
   *
   * @return the former
   */
  @Description("Resets LongestSliceMicros and LongestSliceProcessorMicros; returns the former.")
  long resetLongestSlice();

  /**
   * Returns operations that have run for some time, the longest first; every event loop is queried.
   *
   * @param millis the least time, 0 for all
   * @param most the maximum number, 1 to 10000
   * @throws IllegalArgumentException if one is out of bounds
   */
  @Description("Operations that have run for some time and have not ended, the longest first.")
  List<Running> slow(
      @Description("The least time in milliseconds; 0 for all.") long millis,
      @Description("The maximum number, 1 to 10000.") int most);

  /** The time from which a request counts as slow. */
  @Description(
      "The time in milliseconds from which a request counts as slow (log.slowMillis); 0 for none.")
  long getSlowMillis();

  /** The slow requests, at most 1000 rows, that of the greatest total time first. */
  @Description(
      "Slow requests that have ended, by client, operation and shape, the greatest total time"
          + " first.")
  List<SlowRequest> getSlowRequests();

  /** The rows of slow requests that have made way for others. */
  @Description("The rows of slow requests that have made way for others because of their number.")
  long getSlowRequestsDropped();

  @Description("Forgets the slow requests.")
  void resetSlowRequests();

  /**
   * Cancels an operation: it ends with the result canceled.
   *
   * @return false if there is none, or one that cannot be canceled: binds and cancels
   */
  @Description(
      "Cancels an operation, which then ends with the result canceled. Returns false "
          + "if there is none, or if it cannot be canceled.")
  boolean cancel(
      @Description("The number of its connection.") int connection,
      @Description("The client's message ID.") int messageId);
}
