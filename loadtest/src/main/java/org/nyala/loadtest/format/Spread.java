package org.nyala.loadtest.format;

import com.google.gson.JsonObject;
import java.util.Arrays;

/**
 * The median and the range of some figures. Immutable.
 *
 * @param median the figure in the middle, or the mean of the two in the middle; NaN of none
 * @param least the least one
 * @param greatest the greatest one
 */
public record Spread(double median, double least, double greatest) {
  public static Spread of(double... figures) {
    if (figures.length == 0) {
      return new Spread(Double.NaN, Double.NaN, Double.NaN);
    }
    double[] sorted = figures.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new Spread(median, sorted[0], sorted[sorted.length - 1]);
  }

  /**
   * The spread of the ratios of figures that belong together, as those of a round do: a slowdown of
   * both cancels out.
   */
  public static Spread ofRatios(double[] figures, double[] to) {
    double[] ratios = new double[Math.min(figures.length, to.length)];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = figures[i] / to[i];
    }
    return of(ratios);
  }

  public JsonObject json() {
    JsonObject json = new JsonObject();
    json.add("median", JsonNumber.of(median));
    json.add("min", JsonNumber.of(least));
    json.add("max", JsonNumber.of(greatest));
    return json;
  }
}
