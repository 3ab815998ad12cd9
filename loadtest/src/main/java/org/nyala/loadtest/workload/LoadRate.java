package org.nyala.loadtest.workload;

import org.nyala.loadtest.engine.LoadListener;

/**
 * The pace at which clients send, and the time they wait.
 *
 * <p>Immutable.
 *
 * @param rate operations to begin in a second, of all clients together, on a schedule that does not
 *     wait for answers (open loop); 0 if a client begins its next operation when the last one ended
 *     (closed loop)
 * @param depth the number of requests that a client may have outstanding on its connection, at
 *     least 1
 * @param timeOutSeconds the time that a client waits for an answer before it counts a time-out and
 *     goes on
 * @param intervalSeconds length of the intervals of which a {@link LoadListener} is notified
 * @param flow the spacing of operations
 */
public record LoadRate(
    double rate, int depth, double timeOutSeconds, double intervalSeconds, LoadFlow flow) {
  /** One request at a time, as fast as answers come. */
  public static final LoadRate CLOSED = new LoadRate(0, 1, 30, 1);

  static final int MAX_DEPTH = 1024;

  public LoadRate {
    LoadSettings.require(rate >= 0 && rate <= 1e8, "--rate", "from 0 to 100000000", rate);
    LoadSettings.require(
        depth >= 1 && depth <= MAX_DEPTH, "--depth", "from 1 to " + MAX_DEPTH, depth);
    LoadSettings.require(
        timeOutSeconds > 0 && timeOutSeconds <= 1e6,
        "--time-out",
        "above 0 and at most 1000000",
        timeOutSeconds);
    LoadSettings.require(
        intervalSeconds >= 0.01 && intervalSeconds <= 1e6,
        "--interval",
        "from 0.01 to 1000000",
        intervalSeconds);
    if (rate == 0 && flow.isPoisson()) {
      throw new IllegalArgumentException("--arrivals needs --rate, --ramp or --steps");
    }
    if (rate > 0 && flow.think().seconds() > 0) {
      throw new IllegalArgumentException(
          "--think-time is for clients that wait for answers, not for --rate, --ramp and --steps");
    }
  }

  /** Operations at equal distances. */
  public LoadRate(double rate, int depth, double timeOutSeconds, double intervalSeconds) {
    this(rate, depth, timeOutSeconds, intervalSeconds, LoadFlow.EVEN);
  }

  /** Returns whether operations begin on a schedule. */
  public boolean isOpen() {
    return rate > 0;
  }

  /** The same at another rate. */
  public LoadRate at(double operationsPerSecond) {
    return new LoadRate(operationsPerSecond, depth, timeOutSeconds, intervalSeconds, flow);
  }
}
