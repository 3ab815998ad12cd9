package org.nyala.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.nyala.error.ExitCode;
import org.nyala.management.Counter;
import org.nyala.management.Counters;
import org.nyala.service.RunDirectory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code nyala status}. */
@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    description = {
      "Reports whether a server runs, and its counters: exit code 0 if it does, 3 if "
          + "it does not, 7 if it runs but does not answer.",
      "Does not query the server, but reads a file that the server updates every "
          + "second: it also detects a server that hangs."
    })
final class StatusCommand implements Callable<Integer> {
  private static final int PATIENCE_SECONDS = 5;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private DataOptions data = new DataOptions();

  @Option(
      names = "--patience",
      paramLabel = "SECONDS",
      description =
          "The age of the last update at which the server counts as not answering. "
              + "Default: ${DEFAULT-VALUE}.")
  private int patienceSeconds = PATIENCE_SECONDS;

  @Option(names = "--json", description = "Print one JSON object with all counters.")
  private boolean isJson;

  @Override
  public Integer call() throws IOException {
    RunDirectory run = data.runDirectory();
    Optional<RunDirectory.Holder> holder = run.holder();
    Optional<Counters> counters = Counters.read(run.countersFile());
    if (holder.isEmpty()) {
      return notRunning(counters);
    }
    StatusReport report =
        new StatusReport(
            holder.get(),
            counters,
            System.currentTimeMillis(),
            System.nanoTime(),
            TimeUnit.SECONDS.toMillis(patienceSeconds));
    PrintWriter out = spec.commandLine().getOut();
    if (isJson) {
      out.println(report.json());
    } else {
      report.lines().forEach(out::println);
    }
    return report.isAnswering() ? ExitCode.OK : ExitCode.NOT_ANSWERING;
  }

  /**
   * Reports that no server runs, and whether the last one crashed: a server that was stopped leaves
   * no counters.
   */
  private int notRunning(Optional<Counters> left) {
    PrintWriter out = spec.commandLine().getOut();
    if (isJson) {
      out.println(StatusReport.notRunning(left));
      return ExitCode.NOT_RUNNING;
    }
    out.println("nyala is not running");
    left.ifPresent(
        counters ->
            out.println(
                "the previous server, pid "
                    + counters.get(Counter.PID)
                    + ", was not stopped: it was killed or has crashed, and was last seen at "
                    + Instant.ofEpochMilli(counters.get(Counter.HEARTBEAT_MILLIS))));
    return ExitCode.NOT_RUNNING;
  }
}
