package org.nyala.loadtest.cli;

import org.nyala.loadtest.format.FigureText;
import org.nyala.loadtest.workload.LoadSettings;
import picocli.CommandLine.Option;

/**
 * Options of the search for the highest rate that a server holds. Set by picocli, then only read.
 */
final class KneeOptions {
  private static final double MICROS_PER_MILLI = 1e3;
  private static final double PERCENT = 100;

  @Option(
      names = "--find-knee",
      description =
          "search the highest rate that the server holds: double the rate until p99 (from the"
              + " intended start) or errors pass a bound, then halve in between; each try lasts"
              + " --warmup-seconds and --seconds")
  private boolean wanted;

  @Option(names = "--knee-p99-ms", paramLabel = "MS", description = "the bound of p99")
  private double p99Millis = 10;

  @Option(
      names = "--knee-errors",
      paramLabel = "PERCENT",
      description = "the bound of operations that fail")
  private double errorPercent;

  @Option(names = "--knee-from", paramLabel = "RATE", description = "the first rate to try")
  private double from = 1000;

  @Option(names = "--knee-to", paramLabel = "RATE", description = "no higher rate is tried")
  private double to = 1_000_000;

  @Option(
      names = "--knee-precision",
      paramLabel = "PERCENT",
      description = "how far apart a rate held and one not held may be at the end")
  private double precisionPercent = 5;

  @Option(
      names = "--knee-confirm",
      paramLabel = "TIMES",
      description =
          "the rate found must be held once more, for so many times --seconds, or a lower one is"
              + " looked for")
  private double confirmTimes = 3;

  @Option(
      names = "--knee-limit",
      paramLabel = "SECONDS",
      description =
          "how long the search may take: no try begins that would end later, and the report says"
              + " which rate was held until then")
  private double limitSeconds = 1800;

  boolean isWanted() {
    return wanted;
  }

  /** Throws {@link IllegalArgumentException} if a value is out of range. */
  KneeSearch.Bounds bounds() {
    LoadSettings.require(from >= 1, "--knee-from", "1 or above", FigureText.trimmed(from));
    LoadSettings.require(to >= from, "--knee-to", "at least --knee-from", FigureText.trimmed(to));
    return new KneeSearch.Bounds(
        p99Millis * MICROS_PER_MILLI, errorPercent, precisionPercent / PERCENT);
  }

  /** The length of a try that confirms a result, as a multiple of that of other tries. */
  double confirmTimes() {
    LoadSettings.require(
        confirmTimes >= 1 && confirmTimes <= 1000,
        "--knee-confirm",
        "from 1 to 1000",
        FigureText.trimmed(confirmTimes));
    return confirmTimes;
  }

  /** The longest time of the search in seconds. */
  double limitSeconds() {
    LoadSettings.require(
        limitSeconds > 0 && limitSeconds <= 1e6,
        "--knee-limit",
        "above 0 and at most 1000000",
        FigureText.trimmed(limitSeconds));
    return limitSeconds;
  }

  double from() {
    return from;
  }

  double to() {
    return to;
  }
}
