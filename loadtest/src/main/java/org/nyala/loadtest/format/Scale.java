package org.nyala.loadtest.format;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;

/**
 * A mapping of values to places along an axis of a chart, and the labels of the axis. Immutable.
 */
public final class Scale {
  /** A place, from 0 to 1, and its label. Immutable. */
  record Tick(double place, String label) {}

  /** The function from values to places. */
  private enum Shape {
    LINEAR,
    LOGARITHMIC,
    /** From 0 to 100, exclusive: as much room from 90 to 99 as from 99 to 99.9. */
    PERCENTILES
  }

  private static final int WANTED_TICKS = 5;
  private static final double MICROS_PER_MILLI = 1e3;
  private static final double MICROS_PER_SECOND = 1e6;
  private static final double[] PERCENTILES = {50, 90, 99, 99.9, 99.99, 99.999};

  private final Shape shape;
  private final DoubleFunction<String> label;
  private final double from;
  private final double to;

  private Scale(Shape shape, DoubleFunction<String> label, double from, double to) {
    this.shape = shape;
    this.label = label;
    this.from = from;
    this.to = to;
  }

  /** A scale from zero, evenly spaced. */
  public static Scale linear(DoubleFunction<String> label) {
    return new Scale(Shape.LINEAR, label, 0, 1);
  }

  /** A scale by powers of ten; values are above zero. */
  public static Scale logarithmic(DoubleFunction<String> label) {
    return new Scale(Shape.LOGARITHMIC, label, 1, 10);
  }

  /** A scale of percentiles by nines. */
  public static Scale percentiles() {
    return new Scale(Shape.PERCENTILES, Scale::percent, 0, 99.9);
  }

  /** The same kind of scale with room for values from the least to the greatest. */
  Scale over(double least, double greatest) {
    return switch (shape) {
      case LINEAR -> {
        double step = step(greatest > 0 ? greatest : 1);
        yield new Scale(shape, label, 0, Math.ceil(Math.max(greatest, step) / step - 1e-9) * step);
      }
      case LOGARITHMIC -> {
        double low = roundDown(Math.max(least, 1e-9));
        double high = Math.max(roundUp(greatest), low * 2);
        yield new Scale(shape, label, low, high);
      }
      case PERCENTILES -> new Scale(shape, label, 0, Math.clamp(greatest, 90, 99.999));
    };
  }

  /** The same scale without rounding to the next number: for time that goes on. */
  Scale upTo(double greatest) {
    return new Scale(shape, label, 0, greatest > 0 ? greatest : 1);
  }

  /** Returns whether equal distances are equal differences. */
  boolean isEven() {
    return shape == Shape.LINEAR;
  }

  /** A value in words. */
  String text(double value) {
    return label.apply(value);
  }

  /** The place of a value, from 0 to 1. */
  double place(double value) {
    return Math.clamp(
        (stretched(value) - stretched(from)) / (stretched(to) - stretched(from)), 0, 1);
  }

  private double stretched(double value) {
    return switch (shape) {
      case LINEAR -> value;
      case LOGARITHMIC -> Math.log10(Math.max(value, from));
      case PERCENTILES -> -Math.log10(1 - Math.min(value, to) / 100);
    };
  }

  /** The labels along the axis. */
  List<Tick> ticks() {
    List<Tick> ticks = new ArrayList<>();
    for (double value : values()) {
      ticks.add(new Tick(place(value), label.apply(value)));
    }
    return ticks;
  }

  private List<Double> values() {
    List<Double> values = new ArrayList<>();
    switch (shape) {
      case LINEAR -> {
        double step = step(to);
        for (int i = 0; i * step <= to * (1 + 1e-9); i++) {
          values.add(i * step);
        }
      }
      case LOGARITHMIC -> addPowers(values);
      case PERCENTILES -> {
        for (double percentile : PERCENTILES) {
          if (percentile <= to + 1e-9) {
            values.add(percentile);
          }
        }
      }
    }
    return values;
  }

  private void addPowers(List<Double> values) {
    boolean isShort = to / from < 300;
    for (double power = Math.pow(10, Math.floor(Math.log10(from) + 1e-9));
        power <= to * (1 + 1e-9);
        power *= 10) {
      for (double value :
          isShort ? new double[] {power, 2 * power, 5 * power} : new double[] {power}) {
        if (value >= from * (1 - 1e-9) && value <= to * (1 + 1e-9)) {
          values.add(value);
        }
      }
    }
  }

  /** A step of 1, 2 or 5 times a power of ten that goes about five times into a length. */
  private static double step(double length) {
    double rough = length / WANTED_TICKS;
    double power = Math.pow(10, Math.floor(Math.log10(rough)));
    double digit = rough / power;
    return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
  }

  private static double roundDown(double value) {
    double power = Math.pow(10, Math.floor(Math.log10(value)));
    double digit = value / power;
    return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
  }

  private static double roundUp(double value) {
    double power = Math.pow(10, Math.floor(Math.log10(value)));
    double digit = value / power;
    return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
  }

  /** A number in its shortest form: 1,500 or 1.5M. */
  public static String count(double value) {
    if (value >= 1e6) {
      return trimmed(value / 1e6) + "M";
    }
    return value >= 1000 ? String.format(Locale.ROOT, "%,.0f", value) : trimmed(value);
  }

  /** Microseconds in the unit in which they are shortest. */
  public static String micros(double value) {
    if (value >= MICROS_PER_SECOND) {
      return trimmed(value / MICROS_PER_SECOND) + " s";
    }
    return value >= MICROS_PER_MILLI
        ? trimmed(value / MICROS_PER_MILLI) + " ms"
        : trimmed(value) + " us";
  }

  /** A whole number with its thousands apart. */
  public static String grouped(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  /** A number rounded to three digits, or whole. */
  public static double threeDigits(double value) {
    double power = Math.pow(10, Math.floor(Math.log10(Math.max(1, Math.abs(value)))) - 2);
    return Math.rint(value / power) * power;
  }

  private static String percent(double value) {
    return trimmed(value) + " %";
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
