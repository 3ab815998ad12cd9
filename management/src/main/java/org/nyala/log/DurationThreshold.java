package org.nyala.log;

import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import jdk.jfr.SettingControl;

/**
 * The setting of recordings that omits short operations: a number and a unit, such as {@code 10
 * ms}; {@code 0 ns} records all. With several recordings the lowest threshold wins.
 *
 * <p>Thread-safe.
 */
public final class DurationThreshold extends SettingControl {
  public static final String NAME = "longerThan";

  /** Limits the volume: a server at its limit answers tens of thousands of operations a second. */
  private static final String DEFAULT = "10 ms";

  private volatile String text = DEFAULT;
  private volatile long nanos = nanos(DEFAULT);

  /** Creates the setting at its default, 10 ms. */
  public DurationThreshold() {}

  @Override
  public String combine(Set<String> settings) {
    String least = DEFAULT;
    long leastNanos = Long.MAX_VALUE;
    for (String each : settings) {
      long found = nanos(each);
      if (found < leastNanos) {
        leastNanos = found;
        least = each;
      }
    }
    return least;
  }

  @Override
  public void setValue(String settings) {
    nanos = nanos(settings);
    text = settings;
  }

  @Override
  public String getValue() {
    return text;
  }

  /** The time that must be exceeded. */
  long nanos() {
    return nanos;
  }

  /** Returns the duration that a text denotes; the default if it cannot be parsed. */
  static long nanos(String text) {
    String[] parts = text.strip().toLowerCase(Locale.ROOT).split("\\s+", 2);
    try {
      long number = Long.parseLong(parts[0]);
      return switch (parts.length == 2 ? parts[1] : "ns") {
        case "ns" -> number;
        case "us" -> TimeUnit.MICROSECONDS.toNanos(number);
        case "ms" -> TimeUnit.MILLISECONDS.toNanos(number);
        case "s" -> TimeUnit.SECONDS.toNanos(number);
        default -> nanos(DEFAULT);
      };
    } catch (NumberFormatException _) {
      return nanos(DEFAULT);
    }
  }
}
