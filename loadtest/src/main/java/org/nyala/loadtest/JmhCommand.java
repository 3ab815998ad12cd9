package org.nyala.loadtest;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs the microbenchmarks. Confined to the thread that runs it. */
@Command(
    name = "jmh",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = "Runs the microbenchmarks, with what they allocate.")
final class JmhCommand implements Callable<Integer> {
  @Parameters(arity = "0..*", paramLabel = "PATTERN", description = "which ones; none: all")
  private List<String> patterns = new ArrayList<>();

  @Option(names = "--forks", description = "JVMs per benchmark; 0 runs in this one")
  private int forks = 1;

  @Option(names = "--iterations", description = "measured iterations; half as many warm up")
  private int iterations = 6;

  @Option(names = "--millis", description = "length of an iteration")
  private int millis = 1000;

  @Option(names = "--json", paramLabel = "FILE", description = "also write the results as JSON")
  private String json = "";

  @Override
  public Integer call() throws RunnerException {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .forks(forks)
            .warmupIterations(iterations / 2)
            .measurementIterations(iterations)
            .warmupTime(TimeValue.milliseconds(millis))
            .measurementTime(TimeValue.milliseconds(millis))
            .shouldFailOnError(true)
            .addProfiler(GCProfiler.class);
    patterns.forEach(options::include);
    if (!json.isEmpty()) {
      options.result(json).resultFormat(org.openjdk.jmh.results.format.ResultFormatType.JSON);
    }
    var results = new Runner(options.build()).run();
    return results.isEmpty() ? Main.FAILED : Main.OK;
  }
}
