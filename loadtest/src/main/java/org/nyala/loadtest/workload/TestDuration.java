package org.nyala.loadtest.workload;

/**
 * The duration of the work of the clients of a load test.
 *
 * <p>Immutable.
 *
 * @param seconds length of the measured period
 * @param warmupSeconds the time that the clients work before it
 * @param operations the number of operations that each client does before it stops; 0 for no bound
 */
public record TestDuration(double seconds, double warmupSeconds, long operations) {
  /** A length for jobs that end by themselves. */
  public static final double ENDLESS_SECONDS = 1e6;

  /** One operation of each client, with no limit of time. */
  static final TestDuration ONCE = new TestDuration(ENDLESS_SECONDS, 0, 1);

  public TestDuration {
    LoadSettings.require(
        seconds > 0 && seconds <= ENDLESS_SECONDS,
        "--seconds",
        "above 0 and at most 1000000",
        seconds);
    LoadSettings.require(
        warmupSeconds >= 0 && warmupSeconds <= 1e6,
        "--warmup-seconds",
        "from 0 to 1000000",
        warmupSeconds);
    LoadSettings.require(operations >= 0, "--operations", "0 or above", operations);
  }

  /** A duration without a bound of operations. */
  public static TestDuration of(double seconds, double warmupSeconds) {
    return new TestDuration(seconds, warmupSeconds, 0);
  }
}
