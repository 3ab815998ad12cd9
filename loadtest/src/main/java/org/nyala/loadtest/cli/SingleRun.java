package org.nyala.loadtest.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.agent.Coordinator;
import org.nyala.loadtest.engine.LoadListener;
import org.nyala.loadtest.report.HistogramLog;
import org.nyala.loadtest.report.IntervalsCsv;
import org.nyala.loadtest.report.ReportText;
import org.nyala.loadtest.report.ResultJson;
import org.nyala.loadtest.report.TestOutput;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.result.SecondsTable;
import org.nyala.loadtest.server.ServerFacts;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;

/** Jobs against one server, once. Confined to the thread that runs it. */
final class SingleRun {
  private final TestOutput output;
  private final List<LoadSettings> parts;
  private final @Nullable Coordinator coordinator;

  SingleRun(TestOutput output, List<LoadSettings> parts) {
    this(output, parts, null);
  }

  /** Jobs whose load comes from agents, unless there is no coordinator. */
  SingleRun(TestOutput output, List<LoadSettings> parts, @Nullable Coordinator coordinator) {
    this.output = output;
    this.parts = parts;
    this.coordinator = coordinator;
  }

  /**
   * Runs and reports.
   *
   * @return the exit code
   */
  int run() throws IOException, InterruptedException, LoadTestException {
    Optional<Path> folder = output.folder();
    if (output.isWritten()) {
      ServerFacts.read(parts.getFirst()).lines().forEach(output::fact);
    }
    Coordinator agents = coordinator;
    List<LoadReport> reports = agents == null ? measure(folder) : agents.run();
    Map<String, String> hosts = agents == null ? Map.of() : agents.agents();
    hosts.forEach(output::fact);
    for (LoadReport report : reports) {
      output.print(ReportText.of(report));
      output
          .options()
          .histogram()
          .ifPresent(
              unit ->
                  output.print(
                      new SecondsTable(unit, report.corrected(), report.timeOuts()).text()));
    }
    hosts.keySet().forEach(output::printFact);
    output.print(output.serverFigures());
    output.printFact(FirstLogins.SCHEME);
    if (folder.isPresent()) {
      Files.writeString(folder.get().resolve("intervals.csv"), IntervalsCsv.of(reports));
    }
    output.write(ResultJson.document(output.facts(), reports, output.options().histogram()));
    boolean isPassed = output.passes(reports);
    return output
        .options()
        .exitCode(
            isPassed && reports.stream().allMatch(report -> report.errorCount() == 0),
            reports.stream().anyMatch(LoadReport::isDisturbed));
  }

  private List<LoadReport> measure(Optional<Path> folder)
      throws IOException, InterruptedException, LoadTestException {
    if (folder.isEmpty()) {
      return output.measure(parts, LoadListener.NONE);
    }
    Path file = folder.get().resolve("histogram.hlog");
    double warmupMillis = parts.getFirst().extent().warmupSeconds() * 1e3;
    long start = System.currentTimeMillis() + (long) warmupMillis;
    try (HistogramLog log = new HistogramLog(file, start)) {
      return output.measure(parts, log);
    }
  }
}
