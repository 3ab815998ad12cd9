package org.nyala.cli.running;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.nyala.cli.command.DataCommand;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.management.bean.ContentionMXBean;
import org.nyala.management.bean.ContentionMXBean.Measurement;
import org.nyala.management.bean.LocalManagement;
import org.nyala.management.bean.LockWaits;
import org.nyala.management.bean.Recording;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code nyala contention}. */
@Command(
    name = "contention",
    description = {
      "Measures for some seconds where operations delay each other in the server of "
          + "the data directory, and prints two tables.",
      "",
      "Locks: 'count' is the number of acquisitions of a lock; 'contended' the number of "
          + "these that had to wait; 'contended ms' the time that they waited. 'total ms' is the "
          + "time that the lock was held; 'average ms' the time per acquisition. "
          + "The server's own important locks have counters ('counter'). At all others the JVM's "
          + "flight recorder records waits ('jfr lock', 'jfr monitor'), but not acquisitions "
          + "without one ('-').",
      "Waits: how many operations waited in a queue or for a permit before they ran, "
          + "and how long. Also how often a sleeping thread was signalled, and how often a thread "
          + "slept because there was no work.",
      "",
      "Threads that wait for work delay no operation and are left out. The server "
          + "runs a little slower during a measurement; only one can run at a time. If the "
          + "command is ended early (Ctrl-C), the measurement still ends by itself.",
      "Must be run as the server's user, or with --jmx as the user of management.jmxAdmin."
    })
public final class ContentionCommand extends DataCommand {
  private static final int MOST_ROWS = 1000;

  @Mixin private DurationOptions duration = new DurationOptions(10);

  @Option(
      names = "--top",
      paramLabel = "N",
      description = "Maximum rows of each table, 1 to 1000 (default ${DEFAULT-VALUE}).")
  private int top = 10;

  @Option(names = "--json", description = "Print one JSON object; the manual names its members.")
  private boolean json;

  @Mixin private RemoteOptions remote = new RemoteOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    int seconds = duration.seconds();
    requireRange(spec(), "--top", top, 1, MOST_ROWS);
    ContentionReport report;
    try (LocalManagement server = remote.connect().orElseGet(this::connect)) {
      report = measure(server, seconds);
    }
    print(json, report::json, report::lines);
    return ExitCode.OK;
  }

  private ContentionReport measure(LocalManagement server, int seconds)
      throws IOException, InterruptedException {
    ContentionMXBean contention = idle(server);
    // The recorder takes a moment to start, which must not be part of the measurement.
    try (Recording recording = begin(server, seconds)) {
      Measurement measurement = contention.stop(waitFor(contention, seconds));
      return report(measurement, recording);
    }
  }

  private static Recording begin(LocalManagement server, int seconds) throws IOException {
    try {
      return server.recordLocks(seconds);
    } catch (IllegalStateException e) {
      throw CommandException.failed(ErrorMessages.line(e));
    }
  }

  private static ContentionMXBean idle(LocalManagement server) {
    ContentionMXBean contention = server.contention();
    if (contention.isMeasuring()) {
      throw refusal();
    }
    return contention;
  }

  /** Waits until a measurement is over; returns its number. */
  private long waitFor(ContentionMXBean contention, int seconds) throws InterruptedException {
    long number;
    try {
      number = contention.start(seconds);
    } catch (IllegalStateException e) {
      throw refusal();
    }
    duration.await();
    return number;
  }

  private static CommandException refusal() {
    return CommandException.failed(
        "another measurement of this server's contention is running: try again when "
            + "it is over");
  }

  private ContentionReport report(Measurement measurement, Recording recording) throws IOException {
    Path file = Files.createTempFile("nyala-contention-", ".jfr");
    try {
      boolean complete = recording.save(file);
      Instant from = Instant.ofEpochMilli(measurement.startMillis());
      Instant until = from.plusNanos(measurement.counts().nanos());
      List<LockWaits.Wait> waits = LockWaits.read(file, from, until);
      return new ContentionReport(measurement, waits, complete, top);
    } finally {
      Files.delete(file);
    }
  }
}
