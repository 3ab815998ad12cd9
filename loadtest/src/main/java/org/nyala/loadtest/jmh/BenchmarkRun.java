package org.nyala.loadtest.jmh;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormat;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs benchmarks suite by suite. Immutable.
 *
 * @param profile chooses the parameters of suites
 * @param parameters values from the user, by name, which take precedence over those of the profile
 * @param forks JVMs per benchmark; 0 is this one
 * @param iterations measured iterations; half as many warm up
 * @param millis length of an iteration
 * @param quiet true if JMH prints nothing while it runs
 */
record BenchmarkRun(
    JmhProfile profile,
    Map<String, List<String>> parameters,
    int forks,
    int iterations,
    int millis,
    boolean quiet) {
  /**
   * The option by which the JVM touches its memory at the start. Memory that is used for the first
   * time is a page fault every 4 KiB, which a long-running server has behind it: in a fork that
   * lives for a second it would be the hundredth slowest operation.
   */
  private static final String TOUCHED = "-XX:+AlwaysPreTouch";

  /**
   * Runs the benchmarks whose names have a part that matches one of the patterns; all if there are
   * none.
   *
   * @throws RunnerException if a benchmark fails
   */
  Collection<RunResult> run(List<String> patterns) throws RunnerException {
    Map<BenchmarkSuite, List<String>> chosen = new EnumMap<>(BenchmarkSuite.class);
    for (String name : names(patterns)) {
      String type = name.substring(0, name.lastIndexOf('.'));
      BenchmarkSuite suite = BenchmarkSuite.of(type.substring(type.lastIndexOf('.') + 1));
      chosen.computeIfAbsent(suite, _ -> new ArrayList<>()).add(name);
    }
    List<RunResult> results = new ArrayList<>();
    for (Map.Entry<BenchmarkSuite, List<String>> suite : chosen.entrySet()) {
      results.addAll(run(suite.getKey(), suite.getValue()));
    }
    return results;
  }

  /** The names of the benchmarks that patterns choose, in order. */
  static List<String> names(List<String> patterns) {
    OutputFormat silent = OutputFormatFactory.createFormatInstance(System.out, VerboseMode.SILENT);
    Set<BenchmarkListEntry> entries =
        BenchmarkList.defaultList().find(silent, patterns, Collections.emptyList());
    return entries.stream().map(BenchmarkListEntry::getUsername).distinct().sorted().toList();
  }

  /** The values of the parameters of a suite. A server that runs already has its own strategy. */
  Map<String, List<String>> valuesOf(BenchmarkSuite suite) {
    Map<String, List<String>> values = new HashMap<>(suite.parameters(profile));
    if (suite == BenchmarkSuite.END_TO_END && parameters.containsKey("url")) {
      values.put("strategy", List.of("of-that-server"));
    }
    values.putAll(parameters);
    return values;
  }

  private Collection<RunResult> run(BenchmarkSuite suite, List<String> benchmarks)
      throws RunnerException {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .forks(forks)
            .jvmArgsAppend(TOUCHED)
            .warmupIterations(iterations / 2)
            .measurementIterations(iterations)
            .warmupTime(TimeValue.milliseconds(millis))
            .measurementTime(TimeValue.milliseconds(millis))
            .verbosity(quiet ? VerboseMode.SILENT : VerboseMode.NORMAL)
            .shouldFailOnError(true)
            .addProfiler(GCProfiler.class);
    benchmarks.forEach(name -> options.include("^" + Pattern.quote(name) + "$"));
    valuesOf(suite).forEach((name, list) -> options.param(name, list.toArray(String[]::new)));
    return new Runner(options.build()).run();
  }
}
