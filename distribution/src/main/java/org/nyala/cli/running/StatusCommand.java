package org.nyala.cli.running;

import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.nyala.cli.command.DataCommand;
import org.nyala.error.ExitCode;
import org.nyala.management.Counter;
import org.nyala.management.Counters;
import org.nyala.service.RunDirectory;
import org.nyala.service.UnfinishedJobs;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code nyala status}. */
@Command(
    name = "status",
    description = {
      "Reports whether a server runs, and its counters. Exit code 0 if it does; 3 if it does not;"
          + " 7 if it runs but does not answer; 12 if it reports an alarm. Exit code 11 if it"
          + " answers, but a copy of another server is not ready (replication.readyLagSeconds); or"
          + " if another server was promoted to change what this one has changed.",
      "Does not query the server, but reads a file that the server updates every "
          + "second: it also detects a server that hangs."
    })
public final class StatusCommand extends DataCommand {
  private static final int PATIENCE_SECONDS = 5;

  @Option(
      names = "--patience",
      paramLabel = "SECONDS",
      description =
          "The age of the last update at which the server counts as not answering. "
              + "Default: ${DEFAULT-VALUE}.")
  private int patienceSeconds = PATIENCE_SECONDS;

  @Option(
      names = "--live",
      description =
          "End with 0 also if a copy is not ready or there is an alarm: a restart of the server"
              + " would not help.")
  private boolean isLive;

  @Option(names = "--json", description = "Print one JSON object with all counters.")
  private boolean isJson;

  @Override
  public Integer call() throws IOException {
    RunDirectory run = data().runDirectory();
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
    print(isJson, report::json, report::lines);
    if (!report.isAnswering()) {
      return ExitCode.NOT_ANSWERING;
    }
    if (isLive) {
      return ExitCode.OK;
    }
    if (!report.hasReadyCopies()) {
      return ExitCode.NOT_READY;
    }
    return report.hasAlarms() ? ExitCode.ALARM : ExitCode.OK;
  }

  /**
   * Reports that no server runs, and whether the last one crashed: a server that was stopped leaves
   * no counters.
   */
  private int notRunning(Optional<Counters> left) {
    if (isJson) {
      out().println(StatusReport.notRunning(left));
      return ExitCode.NOT_RUNNING;
    }
    out().println(data().notRunning());
    UnfinishedJobs.ofIdle(data().configuration()).ifPresent(out()::println);
    left.map(StatusCommand::crashed).ifPresent(out()::println);
    return ExitCode.NOT_RUNNING;
  }

  /** Returns the sentence about a server that has left its counters. */
  static String crashed(Counters left) {
    return "the previous server, pid "
        + left.get(Counter.PID)
        + ", was not stopped: it was killed or has crashed, and was last seen at "
        + Instant.ofEpochMilli(left.get(Counter.HEARTBEAT_MILLIS));
  }
}
