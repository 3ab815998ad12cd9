package org.nyala.loadtest.report;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.engine.LoadListener;
import org.nyala.loadtest.engine.LoadRun;
import org.nyala.loadtest.format.ReportPage;
import org.nyala.loadtest.options.ShownWords;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.result.MachineFacts;
import org.nyala.loadtest.server.ServerMetrics;
import org.nyala.loadtest.server.SourceFigures;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The output of a test: its progress, its report, its files. Confined to the thread that runs the
 * test.
 */
public final class TestOutput implements AutoCloseable {
  private final OutputOptions options;
  private final PrintWriter out;
  private final PrintWriter err;
  private final Map<String, String> facts;
  private final Optional<InetSocketAddress> metrics;
  private final Account monitor;
  private @Nullable MetricsEndpoint endpoint;
  private List<SourceFigures> serverFigures = List.of();

  public TestOutput(CommandSpec command, OutputOptions options) throws IOException {
    this.options = options;
    this.out = command.commandLine().getOut();
    this.err = command.commandLine().getErr();
    this.metrics = options.metrics();
    options.serverMetrics().check();
    this.monitor = options.serverMetrics().account();
    this.facts = new LinkedHashMap<>();
    facts.put("command", ShownWords.of(command));
    facts.putAll(MachineFacts.now());
  }

  /** Adds a line about the circumstances. */
  public void fact(String name, String value) {
    facts.put(name, value);
  }

  /** Prints a line about the circumstances, if there is one of that name. */
  public void printFact(String name) {
    String value = facts.get(name);
    if (value != null) {
      print("  " + name + ": " + value + System.lineSeparator());
    }
  }

  public Map<String, String> facts() {
    return facts;
  }

  public OutputOptions options() {
    return options;
  }

  /** Runs jobs, and shows their progress. */
  public List<LoadReport> measure(List<LoadSettings> parts, LoadListener listener)
      throws LoadTestException, InterruptedException {
    if (!options.serverMetrics().isWanted()) {
      return measureForOthers(parts, listener);
    }
    ServerMetrics read = options.serverMetrics().open(parts.getFirst(), monitor, this::progress);
    try (read) {
      return measureForOthers(parts, both(read, listener));
    } finally {
      serverFigures = read.figures();
    }
  }

  /** The server's own figures in the last test, for people; empty if none were wanted. */
  public String serverFigures() {
    return serverFigures.stream().map(SourceFigures::text).collect(Collectors.joining());
  }

  private List<LoadReport> measureForOthers(List<LoadSettings> parts, LoadListener listener)
      throws LoadTestException, InterruptedException {
    if (metrics.isEmpty()) {
      return measureAndShow(parts, listener);
    }
    MetricsEndpoint shown = endpoint();
    shown.begin();
    try {
      return measureAndShow(parts, both(shown, listener));
    } finally {
      shown.end();
    }
  }

  /** The endpoint of all tests of this command, which is opened before the first one. */
  private MetricsEndpoint endpoint() throws LoadTestException {
    MetricsEndpoint open = endpoint;
    if (open == null) {
      open = new MetricsEndpoint(metrics.orElseThrow());
      endpoint = open;
      progress("metrics: http://" + metrics.get().getHostString() + ":" + open.port() + "/metrics");
    }
    return open;
  }

  private List<LoadReport> measureAndShow(List<LoadSettings> parts, LoadListener listener)
      throws LoadTestException, InterruptedException {
    if (options.isQuiet()) {
      return LoadRun.run(parts, listener);
    }
    LiveProgress progress = new LiveProgress(err, LiveProgress.isTerminal(), parts.size());
    try {
      return LoadRun.run(parts, both(progress, listener));
    } finally {
      progress.finish();
    }
  }

  private static LoadListener both(LoadListener first, LoadListener second) {
    return (part, sample, corrected, uncorrected) -> {
      first.interval(part, sample, corrected, uncorrected);
      second.interval(part, sample, corrected, uncorrected);
    };
  }

  @Override
  public void close() {
    MetricsEndpoint open = endpoint;
    if (open != null) {
      open.close();
    }
  }

  /**
   * Tests that ran at once. Immutable.
   *
   * @param name the name of the phase; empty if it is the only one
   * @param failIf the conditions under which they fail, beside those of the options
   */
  public record Phase(String name, List<LoadReport> reports, List<String> failIf) {
    public Phase {
      reports = List.copyOf(reports);
      failIf = List.copyOf(failIf);
    }

    private String prefix() {
      return name.isEmpty() ? "" : name + ": ";
    }
  }

  /** Checks the tests of a run without phases, see {@link #passesAll}. */
  public boolean passes(List<LoadReport> reports) throws IOException {
    return passesAll(List.of(new Phase("", reports, List.of())));
  }

  /**
   * Checks tests by the conditions of the options, prints a sentence for each that holds, and
   * writes the report of JUnit if it is wanted.
   *
   * @return true if none holds
   */
  public boolean passesAll(List<Phase> phases) throws IOException {
    StringBuilder cases = new StringBuilder();
    int failures = 0;
    int tests = 0;
    for (Phase phase : phases) {
      List<Condition> conditions = new ArrayList<>(options.conditions());
      phase.failIf.stream().map(Condition::parse).forEach(conditions::add);
      for (LoadReport report : phase.reports) {
        String right = report.errorCount() == 0 ? "" : ErrorText.of(report.errors());
        failures += right.isEmpty() ? 0 : 1;
        cases.append(testCase(phase, report, "every answer is right", right));
        for (Condition condition : conditions) {
          String failure = condition.failure(report).orElse("");
          if (!failure.isEmpty()) {
            failures++;
            print(phase.prefix() + failure + System.lineSeparator());
          }
          cases.append(testCase(phase, report, "not " + condition.text(), failure));
        }
        tests += 1 + conditions.size();
      }
    }
    Optional<Path> file = options.junit();
    if (file.isPresent()) {
      Files.writeString(
          file.get(),
          String.format(
              Locale.ROOT,
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>%n"
                  + "<testsuite name=\"nyala-loadtest\" tests=\"%d\" failures=\"%d\">%n%s</testsuite>%n",
              tests,
              failures,
              cases));
    }
    return failures == 0;
  }

  private static String testCase(Phase phase, LoadReport report, String name, String failure) {
    String head =
        String.format(
            Locale.ROOT,
            "  <testcase classname=\"nyala-loadtest.%s\" name=\"%s\" time=\"%.3f\"",
            report.settings().job().label(),
            xml(phase.prefix() + name),
            report.seconds());
    return failure.isEmpty()
        ? head + "/>" + System.lineSeparator()
        : String.format(
            Locale.ROOT, "%s><failure message=\"%s\"/></testcase>%n", head, xml(failure));
  }

  private static String xml(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  /** Shows a line about the progress, unless progress is not wanted. */
  public void progress(String line) {
    if (!options.isQuiet() && !line.isEmpty()) {
      err.println(line);
    }
  }

  public void print(String text) {
    out.print(text);
    out.flush();
  }

  /** Makes the folder of the report; empty if no report is wanted. */
  public Optional<Path> folder() throws IOException {
    Optional<Path> folder = options.report();
    if (folder.isPresent()) {
      Files.createDirectories(folder.get());
    }
    return folder;
  }

  /** Returns whether results are written to files. */
  public boolean isWritten() {
    return options.json().isPresent() || options.report().isPresent();
  }

  /** Writes results to the files that the options name. */
  public void write(JsonObject results) throws IOException {
    results.addProperty("version", ResultJson.VERSION);
    if (!serverFigures.isEmpty()) {
      JsonArray sources = new JsonArray();
      serverFigures.forEach(source -> sources.add(source.json()));
      results.add("serverMetrics", sources);
    }
    String text = results + System.lineSeparator();
    Optional<Path> json = options.json();
    if (json.isPresent()) {
      Files.writeString(json.get(), text);
    }
    Optional<Path> folder = folder();
    if (folder.isPresent()) {
      Files.writeString(folder.get().resolve("results.json"), text);
      Path file = folder.get().resolve("report.html");
      Files.writeString(file, ReportPage.of(results));
      print("report: " + file + System.lineSeparator());
    }
  }
}
