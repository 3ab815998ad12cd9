package org.nyala.cli.running;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.nyala.cli.command.DataCommand;
import org.nyala.cli.command.ExportFile;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.management.bean.FlightRecording;
import org.nyala.management.bean.LocalManagement;
import org.nyala.management.bean.RecordedServer;
import org.nyala.management.bean.Recording;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code nyala record}. */
@Command(
    name = "record",
    description = {
      "Records the activity of the server for some seconds, with the JVM's flight recorder. The"
          + " file is for JDK Mission Control, or the 'jfr' tool of a JDK.",
      "",
      "The recording contains operations that took longer than a bound, commits of the store and"
          + " changes of the dispatch strategy. The JVM adds cheap events: samples of running code,"
          + " garbage collections, load. Environment, system properties and other processes are"
          + " left out.",
      "",
      "It contains requests as the access log does, with DNs and filters: only the "
          + "owner may read the file. If the command is ended early (Ctrl-C), there is no "
          + "file, and the recording ends by itself.",
      "Must be run as the server's user, or with --jmx as the user of management.jmxAdmin."
    })
public final class RecordCommand extends DataCommand {
  private static final int MOST_MILLIS = 3_600_000;
  private static final DateTimeFormatter NOW =
      DateTimeFormatter.ofPattern("uuuuMMdd-HHmmss", Locale.ROOT);

  @Mixin private DurationOptions duration = new DurationOptions(30);

  @Mixin private RemoteOptions remote = new RemoteOptions();

  @Option(
      names = "--longer-than",
      paramLabel = "MS",
      description =
          "Leave out operations that took at most this many milliseconds (default "
              + "${DEFAULT-VALUE}); 0 records all, which slows a busy server.")
  private int longerThanMillis = 10;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "The file; must not exist. Default: nyala-DATE-TIME.jfr in the current folder.")
  private @Nullable Path output;

  @Override
  public Integer call() throws IOException, InterruptedException {
    int seconds = duration.seconds();
    requireRange(spec(), "--longer-than", longerThanMillis, 0, MOST_MILLIS);
    Path wanted = output;
    Path file =
        wanted == null
            ? Path.of("nyala-" + NOW.format(LocalDateTime.now(ZoneId.systemDefault())) + ".jfr")
            : wanted;
    if (Files.exists(file)) {
      throw CommandException.failed(file + " already exists");
    }
    try (LocalManagement server = remote.connect().orElseGet(this::connect);
        ExportFile target = ExportFile.open(file)) {
      record(server, seconds, target);
    }
    describe(file, seconds);
    return ExitCode.OK;
  }

  private void record(LocalManagement server, int seconds, ExportFile target)
      throws IOException, InterruptedException {
    long longerThanMicros = TimeUnit.MILLISECONDS.toMicros(longerThanMillis);
    try (Recording recording = begin(server, seconds, longerThanMicros)) {
      duration.await();
      if (!FlightRecording.isWhole(recording.save(target.stream()))) {
        err()
            .println(
                "the recording grew too large and lacks its beginning: record for a "
                    + "shorter time, or raise --longer-than");
      }
    }
    target.commit();
  }

  private static Recording begin(LocalManagement server, int seconds, long longerThanMicros)
      throws IOException {
    try {
      return server.recordServer(seconds, longerThanMicros);
    } catch (IllegalStateException e) {
      throw CommandException.failed(ErrorMessages.line(e));
    }
  }

  private void describe(Path file, int seconds) throws IOException {
    RecordedServer recorded = RecordedServer.read(file);
    out()
        .printf(
            Locale.ROOT,
            "recorded %d s: %d operations longer than %d ms, %d commits, %d switches of the"
                + " strategy%n",
            seconds,
            recorded.operations(),
            longerThanMillis,
            recorded.commits(),
            recorded.switches());
    out().println(file.toAbsolutePath() + ", " + Files.size(file) + " bytes");
  }
}
