package org.nyala.loadtest.compare;

import java.util.List;
import org.nyala.loadtest.compare.Figure.Trait;
import org.nyala.loadtest.compare.Figure.Unit;
import org.nyala.loadtest.result.LoadReport;

/** The figures by which servers are compared. */
public final class LoadFigures {
  public static final Figure<LoadReport> RATE =
      new Figure<>("rate", "per second", Unit.COUNT, LoadReport::rate, Trait.DRAWN, Trait.COMPARED);
  public static final Figure<LoadReport> P50 = percentile("p50Micros", "p50", 50);
  public static final Figure<LoadReport> P99 = percentile("p99Micros", "p99", 99);
  static final Figure<LoadReport> SERVER_CPU =
      new Figure<>(
          "serverCpuMicros",
          "server CPU for each",
          Unit.COST,
          LoadReport::serverCpuMicros,
          Trait.DRAWN,
          Trait.COMPARED);
  static final Figure<LoadReport> CLIENT_CPU =
      new Figure<>(
          "clientCpuMicros", "client CPU for each", Unit.COST, LoadReport::clientCpuMicros);
  static final Figure<LoadReport> FAILED =
      new Figure<>(
          "failedOperations", "failed", Unit.COUNT, LoadReport::failedOperations, Trait.SUMMED);
  static final Figure<LoadReport> LOST =
      new Figure<>(
          "lostConnections",
          "connections lost",
          Unit.COUNT,
          LoadReport::lostConnections,
          Trait.SUMMED);

  /** All of them, in the order of reports. */
  public static final List<Figure<LoadReport>> ALL =
      List.of(RATE, P50, P99, SERVER_CPU, CLIENT_CPU, FAILED, LOST);

  private LoadFigures() {}

  private static Figure<LoadReport> percentile(String key, String title, double percent) {
    return new Figure<>(
        key,
        title,
        Unit.MICROS,
        report -> report.latencyMicros(percent),
        Trait.DRAWN,
        Trait.COMPARED);
  }
}
