package org.nyala.loadtest.format;

import java.util.Locale;

/** The texts of figures, as people read them. Stateless. */
public final class FigureText {
  private static final String UNKNOWN = "-";
  private static final double MICROS_PER_MILLI = 1e3;
  private static final double MICROS_PER_SECOND = 1e6;

  private FigureText() {}

  /** A number in its shortest form: 1,500 or 1.5M. */
  public static String count(double value) {
    if (value >= 1e6) {
      return trimmed(value / 1e6) + "M";
    }
    return value >= 1000 ? whole(value) : trimmed(value);
  }

  /** Microseconds in the unit in which they are shortest. */
  public static String micros(double value) {
    if (value >= MICROS_PER_SECOND) {
      return trimmed(value / MICROS_PER_SECOND) + " s";
    }
    return value >= MICROS_PER_MILLI
        ? trimmed(value / MICROS_PER_MILLI) + " ms"
        : trimmed(value) + " µs";
  }

  /** A time to three digits, with its unit; a hyphen if it is not known. */
  public static String latency(double micros) {
    double power = Math.pow(10, Math.floor(Math.log10(Math.max(1, Math.abs(micros)))) - 2);
    return Double.isNaN(micros) ? UNKNOWN : micros(Math.rint(micros / power) * power);
  }

  /** A whole number with its thousands apart; a hyphen if it is not known. */
  public static String whole(double value) {
    return Double.isNaN(value) ? UNKNOWN : String.format(Locale.ROOT, "%,.0f", value);
  }

  /** A number with so many decimal places; a hyphen if it is not known. */
  public static String decimal(double value, int places) {
    return Double.isNaN(value) ? UNKNOWN : String.format(Locale.ROOT, "%." + places + "f", value);
  }

  /** A number without the zeros at its end. */
  public static String trimmed(double value) {
    String text = String.format(Locale.ROOT, "%.4f", value);
    int end = text.length();
    while (text.charAt(end - 1) == '0') {
      end--;
    }
    return text.substring(0, text.charAt(end - 1) == '.' ? end - 1 : end);
  }
}
