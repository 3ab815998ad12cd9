package org.nyala.loadtest.workload;

/**
 * How long the clients of a load test work.
 *
 * <p>Immutable.
 *
 * @param seconds length of the measured period
 * @param warmupSeconds how long the clients work before it
 * @param operations how many operations each client does before it stops; 0 for no bound
 */
public record TestDuration(double seconds, double warmupSeconds, long operations) {
  /** A length for jobs that end by themselves. */
  public static final double ENDLESS_SECONDS = 1e6;

  /** One operation of each client, however long that takes. */
  static final TestDuration ONCE = new TestDuration(ENDLESS_SECONDS, 0, 1);

  public TestDuration {
    LoadSettings.require(seconds > 0 && seconds <= ENDLESS_SECONDS, "--seconds", seconds);
    LoadSettings.require(
        warmupSeconds >= 0 && warmupSeconds <= 1e6, "--warmup-seconds", warmupSeconds);
    LoadSettings.require(operations >= 0, "--operations", operations);
  }

  /** As many operations as there is time for. */
  public static TestDuration of(double seconds, double warmupSeconds) {
    return new TestDuration(seconds, warmupSeconds, 0);
  }
}
