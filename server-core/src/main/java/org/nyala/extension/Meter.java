package org.nyala.extension;

import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * A number that an extension counts or measures, as Prometheus, the counters file, {@code
 * cn=Monitor} and JMX show it.
 *
 * <p>Immutable. Any thread may read it.
 *
 * @param name words of small letters and digits with spaces between them, 1 to 40 characters:
 *     {@code refused changes}
 * @param unit the unit in Prometheus, such as {@code bytes}; {@code seconds}, whose values are read
 *     in nanoseconds; empty for plain numbers
 * @param kind whether the number only grows
 * @param description one sentence
 * @param value reads it, without blocking
 */
public record Meter(String name, String unit, Kind kind, String description, LongSupplier value) {
  private static final int MAXIMUM_CHARS = 40;
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*( [a-z0-9]+)*");

  /** The kinds of meters. */
  public enum Kind {
    /** A number that only grows, from the start of the server. */
    COUNTER,
    /** A number that grows and shrinks. */
    GAUGE
  }

  /**
   * Checks the name.
   *
   * @throws IllegalArgumentException if it is malformed
   */
  public Meter {
    if (!isName(name)) {
      throw new IllegalArgumentException("'" + name + "' is no name of a meter");
    }
  }

  /**
   * Numbers of one kind, one for each of several things that come and go, such as the members of a
   * cluster. Prometheus tells them by a label. Immutable.
   *
   * @param name as that of a meter
   * @param unit as that of a meter
   * @param description one sentence
   * @param label the name of the label, small letters
   * @param values reads the numbers by the value of the label, 100 at most, without blocking
   */
  public record Series(
      String name,
      String unit,
      String description,
      String label,
      Supplier<Map<String, Long>> values) {
    /**
     * Checks the names.
     *
     * @throws IllegalArgumentException if one is malformed
     */
    public Series {
      if (!isName(name) || !isName(label) || label.contains(" ")) {
        throw new IllegalArgumentException(
            "'" + name + "' by '" + label + "' is no name of a series");
      }
    }

    /** Returns the same series, read in another way. */
    public Series readBy(Supplier<Map<String, Long>> other) {
      return new Series(name, unit, description, label, other);
    }
  }

  private static boolean isName(String name) {
    return name.length() <= MAXIMUM_CHARS && NAME.matcher(name).matches();
  }

  /** Returns a plain number that only grows. */
  public static Meter counter(String name, String description, LongSupplier value) {
    return new Meter(name, "", Kind.COUNTER, description, value);
  }

  /** Returns the same meter, read in another way. */
  public Meter readBy(LongSupplier other) {
    return new Meter(name, unit, kind, description, other);
  }
}
