package org.nyala.cli.running;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.nyala.cli.command.DataCommand;
import org.nyala.config.NyalaConfig;
import org.nyala.doctor.Examination;
import org.nyala.doctor.FindingList;
import org.nyala.error.CommandException;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.management.Counters;
import org.nyala.management.bean.FindingsMXBean.Finding;
import org.nyala.management.bean.FindingsMXBean.Weight;
import org.nyala.management.bean.LocalManagement;
import org.nyala.service.RunDirectory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code nyala doctor}. */
@Command(
    name = "doctor",
    description = {
      "Examines the configuration, its files and data, and the server if it runs, and prints what"
          + " an administrator should know: each finding with its weight, and the command that"
          + " mends it or shows more. Changes nothing.",
      "Exit code 0 if there is nothing but advice; 13 if there is a warning; 14 if there is a"
          + " fault; 1 if there is neither, and something could not be looked at.",
      "Must be run as the server's user."
    })
public final class DoctorCommand extends DataCommand {
  private static final String SERVER = "server";
  private static final String STATUS = "nyala status";
  private static final int MOST_SECONDS = 3600;
  private static final int MOST_DAYS = 3650;
  private static final int PATIENCE_SECONDS = 5;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description =
          "Maximum time for reading entries, 1 to 3600 (default ${DEFAULT-VALUE}): passwords and"
              + " policies that are in no entry read by then are not reported.")
  private int seconds = 30;

  @Option(
      names = "--backups",
      paramLabel = "DIR",
      description =
          "A folder in which backups are, or one backup: reports the age of the last one.")
  private @Nullable Path backups;

  @Option(
      names = "--backup-days",
      paramLabel = "N",
      description =
          "With --backups: the age in days from which the last backup is too old, 1 to 3650"
              + " (default ${DEFAULT-VALUE}).")
  private int backupDays = 7;

  @Option(names = "--json", description = "Print one JSON object; the manual names its members.")
  private boolean json;

  @Override
  public Integer call() {
    requireRange(spec(), "--seconds", seconds, 1, MOST_SECONDS);
    requireRange(spec(), "--backup-days", backupDays, 1, MOST_DAYS);
    FindingList findings = new FindingList();
    try {
      NyalaConfig configuration = data().configuration();
      Optional<List<Finding>> server = server(findings);
      new Examination(
              configuration,
              new Examination.Question(
                  data().configurationFile(),
                  Installation.current(),
                  System.getProperty("user.name", ""),
                  server,
                  Optional.ofNullable(backups),
                  backupDays,
                  seconds,
                  Instant.now()),
              findings)
          .run();
    } catch (ConfigurationException e) {
      findings.add(Weight.FAULT, "configuration", ErrorMessages.line(e), "nyala config check");
      findings.add(
          Weight.UNKNOWN,
          SERVER,
          "without a configuration, neither data nor server are known: nothing else was looked at",
          STATUS);
    }
    List<Finding> all = findings.all();
    print(json, () -> json(all), () -> FindingsReport.lines(all));
    return exitCode(all);
  }

  /**
   * Looks at the server.
   *
   * @return what it tells of itself; nothing if none runs, or it cannot be asked
   */
  private Optional<List<Finding>> server(FindingList findings) {
    RunDirectory run = data().runDirectory();
    Optional<RunDirectory.Holder> holder = run.holder();
    Optional<Counters> counters = counters(run, findings);
    if (holder.isEmpty()) {
      findings.add(
          Weight.OK,
          SERVER,
          "none runs: its alarms and searches are not known, nor copies and members behind",
          "");
      counters
          .map(StatusCommand::crashed)
          .ifPresent(line -> findings.add(Weight.WARNING, SERVER, line, "nyala start"));
      return Optional.empty();
    }
    StatusReport report =
        new StatusReport(
            holder.get(),
            counters,
            System.currentTimeMillis(),
            System.nanoTime(),
            TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
    if (!report.isAnswering()) {
      findings.add(Weight.FAULT, SERVER, report.lines().getFirst(), STATUS);
    }
    try (LocalManagement server = connect()) {
      List<Finding> told = new ArrayList<>(server.findings().examine());
      told.add(new Finding(Weight.OK, SERVER, report.lines().getFirst(), ""));
      return Optional.of(told);
    } catch (CommandException e) {
      findings.add(Weight.UNKNOWN, SERVER, ErrorMessages.line(e), "sudo nyala doctor");
    } catch (UndeclaredThrowableException e) {
      findings.add(
          Weight.UNKNOWN, SERVER, "the server has ended, or does not know findings", STATUS);
    }
    // The file of counters may be read where the JVM may not be attached to.
    counters.ifPresent(
        seen ->
            seen.alarms().forEach(alarm -> findings.add(Weight.WARNING, SERVER, alarm, STATUS)));
    return Optional.empty();
  }

  private static Optional<Counters> counters(RunDirectory run, FindingList findings) {
    try {
      return Counters.read(run.countersFile());
    } catch (IOException e) {
      findings.add(Weight.UNKNOWN, SERVER, ErrorMessages.reason(e), STATUS);
      return Optional.empty();
    }
  }

  private static int exitCode(List<Finding> all) {
    boolean isUnknown = all.stream().anyMatch(each -> each.weight() == Weight.UNKNOWN);
    return switch (all.stream().map(Finding::weight).max(Weight::compareTo).orElse(Weight.OK)) {
      case FAULT -> ExitCode.FAULTY;
      case WARNING -> ExitCode.WARNED;
      case ADVICE, UNKNOWN, OK -> isUnknown ? ExitCode.FAILED : ExitCode.OK;
    };
  }

  private static String json(List<Finding> all) {
    JsonObject json = new JsonObject();
    json.addProperty(
        "worst", FindingsReport.label(all.isEmpty() ? Weight.OK : all.getFirst().weight()));
    json.add("findings", FindingsReport.json(all));
    return json.toString();
  }
}
