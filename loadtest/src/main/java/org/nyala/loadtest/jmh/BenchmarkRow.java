package org.nyala.loadtest.jmh;

import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;

/**
 * The result of one benchmark with one set of parameters. Immutable.
 *
 * @param type simple name of the benchmark's class
 * @param method its method
 * @param parameters its parameters
 * @param score the measured figure
 * @param error half of its 99.9 % interval; NaN if there are too few iterations
 * @param unit the unit of the figure
 * @param others other figures, by name
 */
record BenchmarkRow(
    String type,
    String method,
    Map<String, String> parameters,
    double score,
    double error,
    String unit,
    Map<String, Double> others) {
  private static final String BYTES = "gc.alloc.rate.norm";
  private static final String P50 = "p50Micros";
  private static final String P99 = "p99Micros";
  private static final String P999 = "p999Micros";

  /** Reads a result of JMH. */
  static BenchmarkRow of(RunResult result) {
    BenchmarkParams benchmark = result.getParams();
    String name = benchmark.getBenchmark();
    int dot = name.lastIndexOf('.');
    Map<String, String> parameters = new TreeMap<>();
    benchmark.getParamsKeys().forEach(key -> parameters.put(key, benchmark.getParam(key)));
    Result<?> primary = result.getPrimaryResult();
    Map<String, Double> others = new TreeMap<>();
    result.getSecondaryResults().forEach((key, other) -> others.put(key, other.getScore()));
    return new BenchmarkRow(
        name.substring(name.lastIndexOf('.', dot - 1) + 1, dot),
        name.substring(dot + 1),
        parameters,
        primary.getScore(),
        primary.getScoreError(),
        primary.getScoreUnit(),
        others);
  }

  BenchmarkSuite suite() {
    return BenchmarkSuite.of(type);
  }

  /** The label by which it is compared. */
  String label() {
    return parameters.getOrDefault(suite().compared(), method);
  }

  /** The circumstances that it shares with the benchmarks it is compared with. */
  String circumstances() {
    StringBuilder out = new StringBuilder(80);
    out.append(suite().compared().isEmpty() ? type : method);
    parameters.forEach(
        (name, value) -> {
          if (!name.equals(suite().compared()) && !value.isEmpty()) {
            out.append(", ").append(name).append(' ');
            out.append(value.equals("0") ? "automatic" : value);
          }
        });
    return out.toString();
  }

  /** Returns whether more is better. */
  boolean isRate() {
    return unit.startsWith("ops/");
  }

  boolean hasLatencies() {
    return others.containsKey(P99);
  }

  double p50Micros() {
    return others.getOrDefault(P50, Double.NaN);
  }

  double p99Micros() {
    return others.getOrDefault(P99, Double.NaN);
  }

  double p999Micros() {
    return others.getOrDefault(P999, Double.NaN);
  }

  /** Bytes allocated for an operation. */
  double bytes() {
    return others.getOrDefault(BYTES, Double.NaN);
  }
}
