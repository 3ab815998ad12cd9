package org.nyala.loadtest.server;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.nyala.loadtest.format.FigureText;
import org.nyala.loadtest.format.JsonNumber;
import org.nyala.loadtest.format.ReportTable;

/**
 * The figures of one source in the measured period. Immutable.
 *
 * @param source its name
 * @param samples how often it was read in the whole test
 * @param meanMillis the time of a reading on average, in milliseconds; NaN if there was none
 * @param failure the first failure in words; empty for none
 * @param all the figures that were not 0 throughout, counters first and by their rate
 */
public record SourceFigures(
    String source, int samples, double meanMillis, String failure, List<Figure> all) {
  /** The figures that a terminal shows. */
  private static final int MOST_SHOWN = 25;

  /** The noise of sums of floating-point numbers. */
  private static final double LEAST = 1e-9;

  /**
   * A figure. Immutable.
   *
   * @param mean the mean growth in a second of a counter; the mean of the values of others
   * @param least the least of those
   * @param most the greatest of those
   * @param points seconds from the beginning of the measured period, and the growth in a second or
   *     the value there
   */
  public record Figure(
      String name, boolean isCounter, double mean, double least, double most, List<Point> points) {
    public Figure {
      points = List.copyOf(points);
    }
  }

  /** A place of a line. Immutable. */
  public record Point(double seconds, double value) {}

  /**
   * The values of one moment. Immutable.
   *
   * @param nanos the moment, on the clock of {@link System#nanoTime()}
   */
  record Sample(long nanos, Map<Metric, Double> values) {}

  public SourceFigures {
    all = List.copyOf(all);
  }

  /**
   * Evaluates samples.
   *
   * @param startNanos the beginning of the measured period
   */
  static SourceFigures of(
      String source, List<Sample> samples, double meanMillis, String failure, long startNanos) {
    int first = 0;
    for (int i = 1; i < samples.size(); i++) {
      boolean isNearer =
          Math.abs(samples.get(i).nanos() - startNanos)
              < Math.abs(samples.get(first).nanos() - startNanos);
      first = isNearer ? i : first;
    }
    List<Sample> measured = samples.isEmpty() ? samples : samples.subList(first, samples.size());
    SortedSet<Metric> metrics = new TreeSet<>();
    measured.forEach(sample -> metrics.addAll(sample.values().keySet()));
    List<Figure> figures = new ArrayList<>();
    for (Metric metric : metrics) {
      List<Point> points =
          metric.isCounter()
              ? rates(metric, measured, startNanos)
              : values(metric, measured, startNanos);
      double least = points.stream().mapToDouble(Point::value).min().orElse(0);
      double most = points.stream().mapToDouble(Point::value).max().orElse(0);
      if (Math.max(Math.abs(least), Math.abs(most)) > LEAST) {
        double mean =
            metric.isCounter()
                ? meanRate(metric, measured)
                : points.stream().mapToDouble(Point::value).average().orElse(0);
        figures.add(new Figure(metric.name(), metric.isCounter(), mean, least, most, points));
      }
    }
    figures.sort(
        Comparator.comparing((Figure figure) -> !figure.isCounter())
            .thenComparingDouble(figure -> figure.isCounter() ? -figure.mean() : 0)
            .thenComparing(Figure::name));
    return new SourceFigures(source, samples.size(), meanMillis, failure, figures);
  }

  /** The growth in a second between each two samples; none where the counter began again. */
  private static List<Point> rates(Metric metric, List<Sample> samples, long startNanos) {
    List<Point> points = new ArrayList<>();
    for (int i = 1; i < samples.size(); i++) {
      Double before = samples.get(i - 1).values().get(metric);
      Double after = samples.get(i).values().get(metric);
      double seconds = (samples.get(i).nanos() - samples.get(i - 1).nanos()) / 1e9;
      if (before != null && after != null && after >= before && seconds > 0) {
        double middle = (samples.get(i).nanos() - startNanos) / 1e9 - seconds / 2;
        points.add(new Point(middle, (after - before) / seconds));
      }
    }
    return points;
  }

  private static double meanRate(Metric metric, List<Sample> samples) {
    double growth = 0;
    double seconds = 0;
    for (int i = 1; i < samples.size(); i++) {
      Double before = samples.get(i - 1).values().get(metric);
      Double after = samples.get(i).values().get(metric);
      if (before != null && after != null && after >= before) {
        growth += after - before;
        seconds += (samples.get(i).nanos() - samples.get(i - 1).nanos()) / 1e9;
      }
    }
    return seconds > 0 ? growth / seconds : 0;
  }

  private static List<Point> values(Metric metric, List<Sample> samples, long startNanos) {
    List<Point> points = new ArrayList<>();
    for (Sample sample : samples) {
      Double value = sample.values().get(metric);
      if (value != null) {
        points.add(new Point((sample.nanos() - startNanos) / 1e9, value));
      }
    }
    return points;
  }

  /** The figures for people before a terminal. */
  public String text() {
    StringBuilder out = new StringBuilder(1024);
    out.append("  the server's own figures, from ").append(source);
    out.append(
        samples == 0
            ? ": none"
            : String.format(
                Locale.ROOT,
                ", read %s in %.1f ms each (not among the operations)",
                samples == 1 ? "once" : samples + " times",
                meanMillis));
    out.append(failure.isEmpty() ? "" : "; " + failure).append(System.lineSeparator());
    if (!all.isEmpty()) {
      List<Figure> shown = all.subList(0, Math.min(MOST_SHOWN, all.size()));
      out.append(
          new ReportTable<Figure>()
              .column("    figure", figure -> "    " + figure.name())
              .column("", figure -> figure.isCounter() ? "per second" : "")
              .column("mean", figure -> number(figure.mean()))
              .column("least", figure -> number(figure.least()))
              .column("most", figure -> number(figure.most()))
              .text(shown));
      if (all.size() > MOST_SHOWN) {
        out.append("    and ").append(all.size() - MOST_SHOWN).append(" more in the JSON");
        out.append(System.lineSeparator());
      }
    }
    return out.toString();
  }

  private static String number(double value) {
    return Math.abs(value) >= 100 ? FigureText.whole(value) : FigureText.decimal(value, 2);
  }

  /** The figures for programs. */
  public JsonObject json() {
    JsonObject json = new JsonObject();
    json.addProperty("source", source);
    json.addProperty("samples", samples);
    json.add("meanMillis", JsonNumber.of(meanMillis));
    json.addProperty("failure", failure);
    JsonArray figures = new JsonArray();
    for (Figure figure : all) {
      JsonObject each = new JsonObject();
      each.addProperty("name", figure.name());
      each.addProperty("perSecond", figure.isCounter());
      each.add("mean", JsonNumber.of(figure.mean()));
      each.add("min", JsonNumber.of(figure.least()));
      each.add("max", JsonNumber.of(figure.most()));
      JsonArray seconds = new JsonArray();
      JsonArray values = new JsonArray();
      for (Point point : figure.points()) {
        seconds.add(JsonNumber.of(point.seconds()));
        values.add(JsonNumber.of(point.value()));
      }
      each.add("seconds", seconds);
      each.add("values", values);
      figures.add(each);
    }
    json.add("figures", figures);
    return json;
  }
}
