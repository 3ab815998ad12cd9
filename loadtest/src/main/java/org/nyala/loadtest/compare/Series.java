package org.nyala.loadtest.compare;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.nyala.loadtest.compare.Figure.Trait;
import org.nyala.loadtest.format.JsonNumber;
import org.nyala.loadtest.format.Spread;

/**
 * The results of subjects (servers, or strategies) in cells (jobs, or scenarios), round by round.
 * Confined to the thread that compares.
 *
 * @param <C> a cell
 * @param <R> the result of a round
 */
public final class Series<C, R> {
  private final Map<C, Map<String, List<R>>> results = new LinkedHashMap<>();
  private final UnaryOperator<List<R>> reliable;

  /** Creates an empty series whose medians are those of all rounds. */
  public Series() {
    this(UnaryOperator.identity());
  }

  /**
   * Creates an empty series.
   *
   * @param reliable selects the rounds of which medians are taken
   */
  Series(UnaryOperator<List<R>> reliable) {
    this.reliable = reliable;
  }

  /** Adds the result of the next round. */
  public void add(C cell, String subject, R round) {
    results
        .computeIfAbsent(cell, _ -> new LinkedHashMap<>())
        .computeIfAbsent(subject, _ -> new ArrayList<>())
        .add(round);
  }

  /** The cells in the order in which they were measured. */
  List<C> cells() {
    return List.copyOf(results.keySet());
  }

  /** The subjects of a cell in the order in which they were measured first. */
  public List<String> subjects(C cell) {
    return List.copyOf(results.getOrDefault(cell, Map.of()).keySet());
  }

  /** The results of a subject; empty if it was not measured. */
  public List<R> rounds(C cell, String subject) {
    return results.getOrDefault(cell, Map.of()).getOrDefault(subject, List.of());
  }

  /** The results of all subjects in all cells. */
  Stream<R> all() {
    return results.values().stream()
        .flatMap(subjects -> subjects.values().stream())
        .flatMap(List::stream);
  }

  /** The greatest number of rounds of a subject. */
  int mostRounds() {
    return results.values().stream()
        .flatMap(subjects -> subjects.values().stream())
        .mapToInt(List::size)
        .max()
        .orElse(0);
  }

  /** The median, or sum, of a subject's figure; NaN if it was not measured. */
  public double value(C cell, String subject, Figure<R> figure) {
    List<R> rounds = rounds(cell, subject);
    return figure.is(Trait.SUMMED)
        ? rounds.stream().mapToDouble(figure.of()).sum()
        : median(rounds, figure.of());
  }

  /** The median of a figure in the reliable ones of some rounds. */
  double median(List<R> rounds, ToDoubleFunction<R> figure) {
    return Spread.of(reliable.apply(rounds).stream().mapToDouble(figure).toArray()).median();
  }

  /** The ratio of a figure of a subject in a cell to that of a subject in another one. */
  RatioInterval ratios(C cell, String subject, C toCell, String to, Figure<R> figure) {
    return RatioInterval.of(
        rounds(cell, subject).stream().mapToDouble(figure.of()).toArray(),
        rounds(toCell, to).stream().mapToDouble(figure.of()).toArray());
  }

  /** The ratio of a figure of a subject to that of another one. */
  public RatioInterval ratios(C cell, String subject, String to, Figure<R> figure) {
    return ratios(cell, subject, cell, to, figure);
  }

  /**
   * The first one of these subjects whose value is the greatest, or the least; empty if there are
   * none.
   */
  Optional<String> best(C cell, Predicate<String> subjects, Figure<R> figure, boolean isGreatest) {
    Comparator<String> byValue =
        Comparator.comparingDouble(subject -> value(cell, subject, figure));
    return subjects(cell).stream().filter(subjects).min(isGreatest ? byValue.reversed() : byValue);
  }

  /**
   * The values of subjects side by side, for the page.
   *
   * @param subject the word for a subject
   * @param baseline the name of the subject that ratios are to
   * @param described the names of a cell
   * @param shown the subjects of a cell that are shown
   * @param baselineOf the subject of a cell that ratios are to
   */
  public JsonObject json(
      String subject,
      String baseline,
      List<Figure<R>> figures,
      Function<C, JsonObject> described,
      Function<C, List<String>> shown,
      Function<C, String> baselineOf) {
    JsonArray cells = new JsonArray();
    for (C cell : results.keySet()) {
      JsonArray subjects = new JsonArray();
      for (String name : shown.apply(cell)) {
        subjects.add(json(cell, name, figures, baselineOf.apply(cell)));
      }
      JsonObject json = described.apply(cell);
      json.add("subjects", subjects);
      cells.add(json);
    }
    JsonArray titles = new JsonArray();
    figures.forEach(figure -> titles.add(title(figure)));
    JsonObject json = new JsonObject();
    json.addProperty("subject", subject);
    json.addProperty("baseline", baseline);
    json.add("figures", titles);
    json.add("cells", cells);
    return json;
  }

  /** A cell with nothing but a name. */
  public static JsonObject named(String name) {
    JsonObject json = new JsonObject();
    json.addProperty("name", name);
    return json;
  }

  private static JsonObject title(Figure<?> figure) {
    JsonObject json = new JsonObject();
    json.addProperty("key", figure.key());
    json.addProperty("title", figure.title());
    json.addProperty("unit", figure.unit().toString());
    json.addProperty("drawn", figure.is(Trait.DRAWN));
    return json;
  }

  private JsonObject json(C cell, String subject, List<Figure<R>> figures, String baseline) {
    JsonObject values = new JsonObject();
    JsonObject ratios = new JsonObject();
    for (Figure<R> figure : figures) {
      values.add(figure.key(), JsonNumber.of(value(cell, subject, figure)));
      if (figure.is(Trait.COMPARED) && !subject.equals(baseline)) {
        ratios.add(figure.key(), ratios(cell, subject, baseline, figure).json());
      }
    }
    JsonObject json = named(subject);
    json.add("figures", values);
    json.add("ratios", ratios);
    return json;
  }
}
