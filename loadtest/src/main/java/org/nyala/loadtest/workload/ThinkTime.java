package org.nyala.loadtest.workload;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The time between an answer and the next operation of a client in a closed loop. Immutable.
 *
 * @param seconds the time, or its mean; 0 for none
 * @param isExponential true if times are exponential, false if they are equal
 */
public record ThinkTime(double seconds, boolean isExponential) {
  /** No time. */
  public static final ThinkTime NONE = new ThinkTime(0, false);

  private static final double MOST_SECONDS = 1e6;
  private static final Pattern TEXT =
      Pattern.compile("(exponential:)?(\\d{1,9}(?:\\.\\d{1,9})?)(ms|s)?");

  /**
   * Reads {@code 0.5}, {@code 500ms} or {@code exponential:0.5}.
   *
   * @throws IllegalArgumentException if it is not such a text
   */
  public static ThinkTime parse(String text) {
    Matcher matcher = TEXT.matcher(text.strip());
    boolean isTime = matcher.matches();
    double seconds = isTime ? Double.parseDouble(matcher.group(2)) : -1;
    seconds = isTime && "ms".equals(matcher.group(3)) ? seconds / 1e3 : seconds;
    LoadSettings.require(
        seconds >= 0 && seconds <= MOST_SECONDS,
        "--think-time",
        "SECONDS or exponential:SECONDS up to 1000000, such as 0.5, 500ms or exponential:2s",
        text);
    return new ThinkTime(seconds, isTime && matcher.group(1) != null);
  }

  /** The time before an operation, in nanoseconds. */
  public long nanos(double fraction) {
    return (long) (1e9 * seconds * (isExponential ? SplitMix.exponential(fraction) : 1));
  }

  /**
   * The time before the first operation, so that clients do not begin together.
   *
   * @param fraction a random number from 0 up to 1
   */
  public long firstNanos(double fraction) {
    return isExponential ? nanos(fraction) : (long) (1e9 * seconds * fraction);
  }
}
