package org.nyala.loadtest.jmh;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.loadtest.format.ReportPage;
import org.nyala.loadtest.result.MachineFacts;
import org.nyala.loadtest.workload.ExitCode;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs the microbenchmarks. Confined to the thread that runs it. */
@Command(
    name = "jmh",
    mixinStandardHelpOptions = true,
    description = "Runs the microbenchmarks, with what they allocate.",
    footer = "Exit codes: 0 all benchmarks ran, 1 one failed, 2 wrong usage.")
public final class JmhCommand implements Callable<Integer> {
  private static final int BY_PROFILE = -1;

  @Parameters(arity = "0..*", paramLabel = "PATTERN", description = "which ones; none: all")
  private List<String> patterns = new ArrayList<>();

  /** The extent of the run. */
  private static final class Extent {
    @Option(
        names = "--short",
        required = true,
        description = "see within two minutes whether everything runs; figures mean nothing")
    boolean isShort;

    @Option(
        names = "--full",
        required = true,
        description = "all parameters; takes hours unless PATTERN says less")
    boolean isFull;
  }

  @ArgGroup private @Nullable Extent extent;

  @Option(
      names = "--report",
      paramLabel = "DIR",
      description = "write report.html and results.json there")
  private @Nullable Path report;

  @Option(
      names = {"-p", "--param"},
      paramLabel = "NAME=VALUE[,VALUE...]",
      description = "values of a parameter, such as -p connections=16,1000")
  private Map<String, String> parameters = new HashMap<>();

  @Option(names = "--forks", description = "JVMs per benchmark; 0 runs in this one (1; short: 0)")
  private int forks = BY_PROFILE;

  @Option(
      names = "--iterations",
      description = "measured iterations; half as many warm up (6; short: 1, full: 4)")
  private int iterations = BY_PROFILE;

  @Option(names = "--millis", description = "length of an iteration (1000; short: 40)")
  private int millis = BY_PROFILE;

  @Option(names = "--json", paramLabel = "FILE", description = "also write JMH's own JSON")
  private @Nullable Path json;

  @Option(names = "--quiet", description = "say nothing while it runs")
  private boolean quiet;

  @Spec private @Nullable CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    JmhProfile profile = profile();
    BenchmarkRun run =
        new BenchmarkRun(
            profile,
            parameterValues(),
            forks == BY_PROFILE ? profile.forks() : forks,
            iterations == BY_PROFILE ? profile.iterations() : iterations,
            millis == BY_PROFILE ? profile.millis() : millis,
            quiet);
    Map<String, String> facts = facts(run);
    Collection<RunResult> results;
    try {
      results = run.run(patterns);
    } catch (RunnerException e) {
      err().println("nyala-loadtest: " + e.getMessage());
      return ExitCode.FAILED;
    }
    if (results.isEmpty()) {
      err().println("nyala-loadtest: there is no such benchmark");
      return ExitCode.FAILED;
    }
    write(facts, jmhJson(results));
    return ExitCode.OK;
  }

  /** The results as JMH writes them. */
  private static String jmhJson(Collection<RunResult> results) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream print = new PrintStream(out, false, StandardCharsets.UTF_8);
    ResultFormatFactory.getInstance(ResultFormatType.JSON, print).writeOut(results);
    print.flush();
    return out.toString(StandardCharsets.UTF_8);
  }

  private void write(Map<String, String> facts, String results) throws IOException {
    if (json != null) {
      Files.writeString(json, results);
    }
    if (report != null) {
      JsonObject document = new JsonObject();
      JsonObject circumstances = new JsonObject();
      facts.forEach(circumstances::addProperty);
      document.add("facts", circumstances);
      document.addProperty("kind", "benchmarks");
      document.addProperty("defaultStrategy", DispatchStrategies.DEFAULT);
      document.add("suites", BenchmarkSuite.json());
      document.add("results", JsonParser.parseString(results));
      Files.createDirectories(report);
      Files.writeString(report.resolve("results.json"), document + System.lineSeparator());
      Files.writeString(report.resolve("report.html"), ReportPage.of(document));
    }
  }

  private PrintWriter err() {
    return Objects.requireNonNull(spec).commandLine().getErr();
  }

  private JmhProfile profile() {
    Extent chosen = extent;
    if (chosen != null && chosen.isFull) {
      return JmhProfile.FULL;
    }
    return chosen != null && chosen.isShort ? JmhProfile.SHORT : JmhProfile.NORMAL;
  }

  private Map<String, List<String>> parameterValues() {
    Map<String, List<String>> values = new HashMap<>();
    parameters.forEach((name, list) -> values.put(name, List.of(list.split(",", -1))));
    return values;
  }

  /** The facts about machine and run that the figures depend on. */
  private static Map<String, String> facts(BenchmarkRun run) throws IOException {
    Map<String, String> facts = MachineFacts.now();
    facts.put("forks", Integer.toString(run.forks()));
    facts.put("iterations", run.iterations() + " of " + run.millis() + " ms");
    if (run.profile() == JmhProfile.SHORT) {
      facts.put("note", "a short run: it shows that the benchmarks run, its figures mean nothing");
    }
    return facts;
  }
}
