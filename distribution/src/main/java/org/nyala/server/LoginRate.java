package org.nyala.server;

import java.util.Locale;
import java.util.Optional;
import org.nyala.config.NyalaConfig;
import org.nyala.core.dispatch.DispatchSettings;
import org.nyala.core.password.HashCost;
import org.nyala.core.password.HashSpeed;
import org.nyala.core.password.PasswordScheme;

/**
 * The first logins that a configuration allows in a second on this machine: those that compute a
 * hash. Immutable.
 *
 * @param scheme the scheme of their hashes
 * @param speed the time of one on a processor
 * @param threads the threads that compute them
 */
public record LoginRate(PasswordScheme scheme, HashSpeed speed, int threads) {
  private static final double NANOS_PER_MILLI = 1e6;

  /** The time of a hash that is little beside the rest of a login, some 15 µs. */
  private static final long LITTLE_NANOS = 10_000;

  /** The processor time of a server's measurement in ms; its compiler needs most of it. */
  private static final int START_MILLIS = 2000;

  /** A measurement of the time of a hash. */
  @FunctionalInterface
  public interface Gauge {
    /** Measures a scheme, some tenths of a second to seconds. */
    HashSpeed measure(PasswordScheme scheme, HashCost cost);
  }

  /** A gauge in this process, whose compiler has to be that of a server. */
  public static final Gauge IN_PROCESS =
      (scheme, cost) -> HashSpeed.measure(scheme, cost, START_MILLIS * (long) NANOS_PER_MILLI);

  /** Measures the scheme of new passwords. */
  public static LoginRate of(NyalaConfig configuration, Gauge gauge) {
    return of(configuration, configuration.updates().passwordScheme(), gauge);
  }

  /** Measures a scheme, with the work of new hashes. */
  public static LoginRate of(NyalaConfig configuration, PasswordScheme scheme, Gauge gauge) {
    HashCost cost = configuration.updates().hashBounds().ofNew();
    return new LoginRate(
        scheme,
        gauge.measure(scheme, cost),
        scheme.isSlow()
            ? DispatchSettings.hashThreads(configuration.dispatch().hashThreads())
            : Runtime.getRuntime().availableProcessors());
  }

  /** Returns the first logins in a second. */
  public double perSecond() {
    return speed.perSecond(threads);
  }

  /** Returns time and rate, for a person; of a quick hash, that logins do not depend on it. */
  public String text() {
    if (speed.nanos() < LITTLE_NANOS) {
      return "less than 0.01 ms, little beside the rest of a login";
    }
    return String.format(
        Locale.ROOT,
        speed.nanos() < NANOS_PER_MILLI ? "%.2f ms, %,.0f a second" : "%.1f ms, %,.0f a second",
        speed.nanos() / NANOS_PER_MILLI,
        perSecond());
  }

  /** Measures, and returns a warning if the configuration expects more; nothing if it does not. */
  public static Optional<String> shortage(NyalaConfig configuration, Gauge gauge) {
    int expected = configuration.updates().expectedLoginsPerSecond();
    if (expected == 0) {
      return Optional.empty();
    }
    LoginRate rate = of(configuration, gauge);
    return rate.perSecond() >= expected
        ? Optional.empty()
        : Optional.of(
            "first logins by "
                + rate.scheme().label()
                + " take "
                + rate.text()
                + " on this machine, fewer than password.expectedLoginsPerSecond = "
                + expected
                + ": see nyala password --tune");
  }
}
