package org.nyala.loadtest.compare;

import com.google.gson.JsonObject;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import org.nyala.loadtest.format.JsonNumber;
import org.nyala.loadtest.format.Spread;

/**
 * The ratio of the medians of two servers' figures, and its confidence interval: a percentile
 * bootstrap (Efron and Tibshirani, An Introduction to the Bootstrap, chapter 13) over the rounds. A
 * round is drawn with both of its figures, so that a slowdown of both cancels out. Immutable.
 *
 * @param ratio of the medians of all rounds; NaN without rounds
 * @param low the lower end of the interval of 95 %
 * @param high the upper end
 * @param spread the ratios of the rounds themselves
 */
public record RatioInterval(double ratio, double low, double high, Spread spread) {
  /** The number of rounds below which the interval is hardly more than their extremes. */
  public static final int FEWEST_ROUNDS = 5;

  /** The warning about a comparison of fewer rounds than {@link #FEWEST_ROUNDS}. */
  public static final String WARNING =
      "Warning: fewer than five rounds. The intervals say little: repeat with --rounds 5 or more.";

  private static final int DRAWS = 4000;
  private static final double TAIL = 0.025;

  /** The seed, fixed so that the same result always yields the same interval. */
  private static final long SEED = 2_026;

  /** The interval of the ratio of figures to others of the same rounds. */
  public static RatioInterval of(double[] figures, double[] to) {
    int rounds = Math.min(figures.length, to.length);
    double[] own = Arrays.copyOf(figures, rounds);
    double[] other = Arrays.copyOf(to, rounds);
    Spread spread = Spread.ofRatios(own, other);
    double ratio = Spread.of(own).median() / Spread.of(other).median();
    if (Double.isNaN(ratio)) {
      return new RatioInterval(Double.NaN, Double.NaN, Double.NaN, spread);
    }
    double[] drawn = draw(own, other);
    int tail = (int) (TAIL * DRAWS);
    return new RatioInterval(ratio, drawn[tail], drawn[DRAWS - 1 - tail], spread);
  }

  /**
   * The interval of the ratio of figures to others that were measured at another time, each in its
   * own order. Neighbours resemble each other, so that blocks of them are drawn: a circular block
   * bootstrap (Politis and Romano, 1992), with blocks of about the cube root of their number.
   *
   * @param areNeighbours false if the order of the figures means nothing
   */
  public static RatioInterval ofSeries(double[] figures, double[] to, boolean areNeighbours) {
    double[] own = finite(figures);
    double[] other = finite(to);
    double ratio = Spread.of(own).median() / Spread.of(other).median();
    Spread none = Spread.of();
    if (!Double.isFinite(ratio)) {
      return new RatioInterval(Double.NaN, Double.NaN, Double.NaN, none);
    }
    Random random = new Random(SEED);
    double[] ratios = new double[DRAWS];
    for (int draw = 0; draw < DRAWS; draw++) {
      double above = Spread.of(blocks(own, areNeighbours, random)).median();
      ratios[draw] = above / Spread.of(blocks(other, areNeighbours, random)).median();
    }
    Arrays.sort(ratios);
    int tail = (int) (TAIL * DRAWS);
    return new RatioInterval(ratio, ratios[tail], ratios[DRAWS - 1 - tail], none);
  }

  private static double[] finite(double[] figures) {
    return Arrays.stream(figures).filter(Double::isFinite).toArray();
  }

  private static double[] blocks(double[] figures, boolean areNeighbours, Random random) {
    int length = areNeighbours ? (int) Math.ceil(Math.cbrt(figures.length)) : 1;
    double[] drawn = new double[figures.length];
    int place = 0;
    for (int i = 0; i < drawn.length; i++) {
      place = i % length == 0 ? random.nextInt(figures.length) : (place + 1) % figures.length;
      drawn[i] = figures[place];
    }
    return drawn;
  }

  /** The ratios of rounds that are drawn again and again, in order. */
  private static double[] draw(double[] own, double[] other) {
    Random random = new Random(SEED);
    double[] ratios = new double[DRAWS];
    double[] ownDrawn = new double[own.length];
    double[] otherDrawn = new double[own.length];
    for (int draw = 0; draw < DRAWS; draw++) {
      for (int i = 0; i < own.length; i++) {
        int round = random.nextInt(own.length);
        ownDrawn[i] = own[round];
        otherDrawn[i] = other[round];
      }
      ratios[draw] = Spread.of(ownDrawn).median() / Spread.of(otherDrawn).median();
    }
    Arrays.sort(ratios);
    return ratios;
  }

  /** The ratio and its interval in a few words. */
  public String text() {
    return Double.isNaN(ratio)
        ? "-"
        : String.format(Locale.ROOT, "%.2f (%.2f - %.2f)", ratio, low, high);
  }

  /** The ratio and its interval for programs, and the ratios of the rounds. */
  public JsonObject json() {
    JsonObject json = spread.json();
    json.add("ofMedians", JsonNumber.of(ratio));
    json.add("low95", JsonNumber.of(low));
    json.add("high95", JsonNumber.of(high));
    return json;
  }
}
