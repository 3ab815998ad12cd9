package org.nyala.loadtest.server;

import java.util.regex.Pattern;

/**
 * A figure of a server. Immutable.
 *
 * @param name its name in its source
 * @param isCounter true if it only grows, so that its growth in a second is of interest
 */
record Metric(String name, boolean isCounter) implements Comparable<Metric> {
  /** The longest value that is taken for a number. */
  private static final Pattern NUMBER = Pattern.compile("-?\\d{1,18}(\\.\\d{1,18})?");

  @Override
  public int compareTo(Metric other) {
    return name.compareTo(other.name);
  }

  /** Returns a text as a number; NaN if it is none. */
  static double number(String text) {
    return NUMBER.matcher(text).matches() ? Double.parseDouble(text) : Double.NaN;
  }
}
