package org.nyala.loadtest.compare;

import java.util.Locale;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.nyala.loadtest.format.FigureText;

/**
 * A figure of a round, by which subjects are compared. Immutable.
 *
 * @param <R> the result of a round
 * @param key its name for programs
 * @param title its name for people
 * @param of reads it from a round
 */
public record Figure<R>(
    String key, String title, Unit unit, ToDoubleFunction<R> of, Set<Trait> traits) {
  /** The unit of a figure, which decides about its text. */
  public enum Unit {
    /** A number of things. */
    COUNT,
    /** A time in microseconds. */
    MICROS,
    /** A processor time in microseconds. */
    COST,
    /** A part, or a mean of numbers. */
    RATIO;

    /** The text of a value, with its unit. */
    public String text(double value) {
      return this == MICROS || this == COST ? FigureText.latency(value) : plain(value);
    }

    /** The text of a value below a header with the unit. */
    String plain(double value) {
      return switch (this) {
        case COUNT, MICROS -> FigureText.whole(value);
        case COST -> FigureText.decimal(value, 1);
        case RATIO -> FigureText.decimal(value, 3);
      };
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** A property of a figure. */
  public enum Trait {
    /** The page has a chart of it. */
    DRAWN,
    /** Reports have its ratio to another subject. */
    COMPARED,
    /** Rounds are added up; of all others the median is taken. */
    SUMMED
  }

  Figure(String key, String title, Unit unit, ToDoubleFunction<R> of, Trait... traits) {
    this(key, title, unit, of, Set.of(traits));
  }

  /** Returns whether the figure has this property. */
  public boolean is(Trait trait) {
    return traits.contains(trait);
  }

  /** The header of a column of plain values. */
  String header() {
    return unit == Unit.MICROS || unit == Unit.COST ? title + ", µs" : title;
  }
}
