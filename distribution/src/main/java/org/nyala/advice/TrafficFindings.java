package org.nyala.advice;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.nyala.core.message.Scope;
import org.nyala.core.traffic.SearchShapes;
import org.nyala.core.traffic.ShapeFigures;
import org.nyala.lmdb.explain.ShapeIndexes;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.lmdb.format.IndexUses;
import org.nyala.management.bean.FindingsMXBean.Finding;
import org.nyala.management.bean.FindingsMXBean.Weight;

/**
 * Findings made of the table of searches and of the uses of indexes.
 *
 * <p>Confined to one thread. Each says what was measured; nothing is said of what was not.
 */
final class TrafficFindings {
  static final String INDEXES = "indexes";
  static final String CLIENTS = "clients";
  static final String LIMITS = "limits";
  static final String TRAFFIC = "traffic";

  /** With so few entries read for a search, no index is worth its space. */
  private static final long FEW_READ = 100;

  /** Reading this many entries for each one that is returned is no waste. */
  private static final long READ_PER_RESULT = 4;

  /** The most shapes that are looked at for indexes: the heaviest. */
  private static final int MOST_SHAPES = 20;

  /** An index that saves less time in all is not worth a line. */
  private static final long LEAST_SAVED_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** The part of all searches' time that is worth a line, and the part that is worth a warning. */
  private static final double LEAST_SHARE = 0.01;

  private static final double LARGE_SHARE = 0.1;

  /** The searches of a shape that read everything, from which on they are a habit. */
  private static final long HABIT = 3;

  /** An observation that is shorter does not show what a day needs. */
  private static final Duration DAY = Duration.ofDays(1);

  /** An index that was not used for so long is likely not to be needed. */
  private static final Duration UNUSED = Duration.ofDays(7);

  private static final int MOST_LISTED = 10;
  private static final int PERCENT = 100;
  private static final int MEBIBYTE_SHIFT = 20;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final String SHAPES = "nyala advise --shapes";

  private final List<Finding> findings = new ArrayList<>();
  private final SearchShapes.Look look;
  private final ShapeIndexes indexes;

  /** Adds up the advice of shapes that lack the same indexes. */
  private static final class Lack {
    private final ShapeIndexes.Remedy remedy;
    private final String filter;
    private long searches;
    private double savedNanos;
    private long read;
    private long returned;
    private int shapes;

    private Lack(ShapeIndexes.Remedy remedy, String filter) {
      this.remedy = remedy;
      this.filter = filter;
    }

    private void add(ShapeFigures figures, double saved) {
      searches += figures.count();
      savedNanos += saved;
      read += figures.read();
      returned += figures.returned();
      shapes++;
    }
  }

  TrafficFindings(SearchShapes.Look look, ShapeIndexes indexes) {
    this.look = look;
    this.indexes = indexes;
  }

  List<Finding> all() {
    return List.copyOf(findings);
  }

  private void add(Weight weight, String area, String sentence, String command) {
    findings.add(new Finding(weight, area, sentence, command));
  }

  /** Says for how long the traffic was observed. */
  void observation() {
    Duration observed = Duration.ofSeconds(look.seconds());
    long searches = look.shapes().stream().mapToLong(ShapeFigures::count).sum();
    add(
        Weight.OK,
        TRAFFIC,
        String.format(
            Locale.ROOT,
            "%d searches in %d shapes were observed for %s%s",
            searches,
            look.shapes().size(),
            text(observed),
            observed.compareTo(DAY) < 0 ? ": a day or a month may need something else" : ""),
        SHAPES);
    if (look.droppedSearches() > 0) {
      add(
          Weight.OK,
          TRAFFIC,
          look.droppedSearches()
              + " more searches were of shapes without a place in the table"
              + " (management.searchShapes)",
          "");
    }
  }

  /** Adds the indexes that would have saved time. */
  void missingIndexes() {
    Map<String, Lack> lacks = new TreeMap<>();
    long all = Math.max(1, look.nanos());
    look.shapes().stream()
        .filter(TrafficFindings::isWasteful)
        .limit(MOST_SHAPES)
        .forEach(each -> lack(each, lacks));
    lacks.values().stream()
        .filter(
            each -> each.savedNanos >= LEAST_SAVED_NANOS && each.savedNanos >= LEAST_SHARE * all)
        .sorted((one, other) -> Double.compare(other.savedNanos, one.savedNanos))
        .limit(MOST_LISTED)
        .forEach(each -> add(each, all));
  }

  private static boolean isWasteful(ShapeFigures figures) {
    return figures.shape().scope() != Scope.BASE
        && figures.read() > FEW_READ * figures.count()
        && figures.read() > READ_PER_RESULT * Math.max(figures.count(), figures.returned());
  }

  private void lack(ShapeFigures figures, Map<String, Lack> lacks) {
    Optional<ShapeIndexes.Remedy> found = indexes.remedy(figures.shape().filter());
    if (found.isEmpty()) {
      return;
    }
    double readEach = figures.read() / (double) figures.count();
    double returnedEach = Math.max(1, figures.returned() / (double) figures.count());
    double left = Math.max(returnedEach, (double) found.get().entriesPerSearch());
    if (left * 2 <= readEach) {
      lacks
          .computeIfAbsent(
              names(found.get().indexes()), _ -> new Lack(found.get(), figures.shape().text()))
          .add(figures, figures.nanos() * (1 - left / readEach));
    }
  }

  private void add(Lack lack, long allNanos) {
    double share = lack.savedNanos / allNanos;
    add(
        share >= LARGE_SHARE ? Weight.WARNING : Weight.ADVICE,
        INDEXES,
        String.format(
            Locale.ROOT,
            "%d searches for %s%s read %d entries for %d returned; %s would have saved about %.3f"
                + " s, %d %% of the time of all searches; it takes about %d MiB and %d s to build",
            lack.searches,
            lack.filter,
            lack.shapes == 1 ? "" : " and " + (lack.shapes - 1) + " more shapes",
            lack.read,
            lack.returned,
            names(lack.remedy.indexes()),
            lack.savedNanos / NANOS_PER_SECOND,
            Math.round(PERCENT * share),
            lack.remedy.bytes() >> MEBIBYTE_SHIFT,
            TimeUnit.MILLISECONDS.toSeconds(lack.remedy.millis()) + 1),
        "nyala index add " + names(lack.remedy.indexes()));
  }

  private static String names(List<IndexDefinition> definitions) {
    return definitions.stream().map(IndexDefinition::toString).collect(Collectors.joining(" "));
  }

  /**
   * Adds the indexes that nobody has used.
   *
   * @param uses the uses of indexes that may be dropped
   * @param running the time since the server was started
   * @param nowMillis the present time
   */
  void unusedIndexes(List<IndexUses.Use> uses, Duration running, long nowMillis) {
    List<String> shortly = new ArrayList<>();
    for (IndexUses.Use each : uses) {
      Duration idle =
          each.count() == 0 ? running : Duration.ofMillis(nowMillis - each.lastMillis());
      if (idle.compareTo(UNUSED) >= 0) {
        add(
            Weight.ADVICE,
            INDEXES,
            String.format(
                Locale.ROOT,
                "no search has used %s for %s%s; it has about %d MiB, and every change of the"
                    + " attribute takes time for it",
                each.index(),
                text(idle),
                each.count() == 0 ? ", since the server was started" : "",
                Math.max(0, indexes.bytes(each.index())) >> MEBIBYTE_SHIFT),
            "nyala index drop " + each.index());
      } else if (each.count() == 0) {
        shortly.add(each.index().toString());
      }
    }
    if (!shortly.isEmpty()) {
      add(
          Weight.OK,
          INDEXES,
          "not used since the server was started, "
              + text(running)
              + " ago, which is too short to drop them: "
              + String.join(", ", shortly.subList(0, Math.min(MOST_LISTED, shortly.size())))
              + (shortly.size() > MOST_LISTED
                  ? " and " + (shortly.size() - MOST_LISTED) + " more"
                  : ""),
          "");
    }
  }

  /**
   * Adds the clients that read everything.
   *
   * @param entries the number of entries
   */
  void wholeReads(long entries) {
    look.shapes().stream()
        .filter(each -> each.whole() >= HABIT)
        .limit(MOST_LISTED)
        .forEach(
            each ->
                add(
                    Weight.ADVICE,
                    CLIENTS,
                    String.format(
                        Locale.ROOT,
                        "%s: %d of %d searches for %s returned half of the %d entries or more;"
                            + " content synchronization (RFC 4533), or pages, cost less",
                        who(each),
                        each.whole(),
                        each.count(),
                        each.shape().text(),
                        entries),
                    SHAPES));
  }

  private static String who(ShapeFigures figures) {
    return figures.clients().isEmpty()
        ? "clients"
        : figures.clients().stream()
            .map(
                each ->
                    (each.name().isEmpty() ? "anonymous clients" : each.name())
                        + " of "
                        + each.address())
            .collect(Collectors.joining("; "));
  }

  /** Adds the limits that searches have met. */
  void limits() {
    limit("limits.sizeLimit", ShapeFigures::sizeLimits);
    limit("limits.timeLimitSeconds", ShapeFigures::timeLimits);
    limit("limits.lookThroughLimit", ShapeFigures::lookThroughs);
  }

  private void limit(String key, ToLongFunction<ShapeFigures> hits) {
    long all = look.shapes().stream().mapToLong(hits).sum();
    look.shapes().stream()
        .filter(each -> hits.applyAsLong(each) > 0)
        .max((one, other) -> Long.compare(hits.applyAsLong(one), hits.applyAsLong(other)))
        .ifPresent(
            most ->
                add(
                    Weight.ADVICE,
                    LIMITS,
                    String.format(
                        Locale.ROOT,
                        "%d searches have met %s, or a limit of access rules in its place: %d for"
                            + " %s, by %s",
                        all,
                        key,
                        hits.applyAsLong(most),
                        most.shape().text(),
                        who(most)),
                    SHAPES));
  }

  /** Returns a duration in its largest whole unit. */
  static String text(Duration duration) {
    if (duration.compareTo(DAY.multipliedBy(2)) >= 0) {
      return duration.toDays() + " days";
    }
    if (duration.toHours() >= 2) {
      return duration.toHours() + " hours";
    }
    return duration.toMinutes() >= 2
        ? duration.toMinutes() + " minutes"
        : duration.toSeconds() + " seconds";
  }
}
