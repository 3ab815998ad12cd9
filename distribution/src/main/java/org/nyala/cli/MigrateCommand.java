package org.nyala.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.cli.command.LoginOutlook;
import org.nyala.cli.command.NyalaCommand;
import org.nyala.cli.command.ProgressLine;
import org.nyala.core.slapd.InvalidSlapdFileException;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.migrate.DataCheck;
import org.nyala.migrate.Migration;
import org.nyala.migrate.MigrationFolder;
import org.nyala.migrate.MigrationReport;
import org.nyala.migrate.Placement;
import org.nyala.migrate.ServerNumbers;
import org.nyala.server.ConfigurationCheck;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code nyala migrate}. */
@Command(
    name = "migrate",
    description = {
      "Makes a configuration from that of slapd, with its schema and access rules. Reports what was"
          + " translated, what has no counterpart, and what is wrong with the data.",
      "Nothing of slapd is changed, and nothing is written without --write."
    })
final class MigrateCommand extends NyalaCommand {
  private static final String REPORT = "report.txt";

  @Parameters(
      index = "0",
      paramLabel = "SLAPD",
      description = "slapd.conf, the folder slapd.d, or the output of slapcat -n0.")
  private Path slapd = Path.of("");

  @Parameters(
      index = "1..*",
      paramLabel = "LDIF",
      description =
          "The output of slapcat for each database, which is checked: it is imported into a folder"
              + " that is deleted afterwards.")
  private List<Path> ldif = new ArrayList<>();

  @Option(
      names = "--to",
      paramLabel = "DIR",
      defaultValue = "/etc/nyala",
      description = "The folder of the configuration. Default: ${DEFAULT-VALUE}.")
  private Path folder = Path.of("");

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description =
          "The data directory that the configuration names. Default: data of the installation.")
  private @Nullable Path data;

  @Option(
      names = "--logs",
      paramLabel = "DIR",
      description =
          "The folder of logs that the configuration names. Default: logs of the installation.")
  private @Nullable Path logs;

  @Option(
      names = "--run",
      paramLabel = "DIR",
      description =
          "The folder of run files that the configuration names. Default: run of the data.")
  private @Nullable Path run;

  @Option(
      names = "--work",
      paramLabel = "DIR",
      description =
          "The folder in which the data is checked; it takes as much room as the directory."
              + " Default: that of temporary files.")
  private @Nullable Path work;

  @Option(
      names = "--write",
      description = "Write the configuration, its schema, access rules and the report.")
  private boolean write;

  @Option(
      names = "--dry-run",
      description = "Print the report and the configuration only. This is the default.")
  private boolean dryRun;

  @Override
  public Integer call() throws IOException {
    if (write && dryRun) {
      throw wrongUsage("--write: not together with --dry-run");
    }
    Migration migration = read();
    if (write) {
      // Before the check of the data, which takes as long as an import.
      MigrationFolder.requireFree(folder, migration, REPORT);
    }
    DataCheck check = check(migration);
    MigrationReport report = new MigrationReport(migration, check.lines());
    report.lines().forEach(out()::println);
    if (!check.passwords().isEmpty()) {
      List<String> outlook =
          migration.with(configuration -> LoginOutlook.of(configuration, check.passwords()));
      outlook.forEach(out()::println);
    }
    if (write) {
      write(migration, report);
    } else {
      show(migration);
    }
    if (migration.fault().isPresent()) {
      return ExitCode.USAGE;
    }
    return report.isComplete() && check.isComplete() ? ExitCode.OK : ExitCode.REJECTED;
  }

  private Migration read() throws IOException {
    try {
      return Migration.of(
          slapd,
          ServerNumbers.of(ldif),
          new Placement(data, logs, run),
          Installation.current(),
          ConfigurationCheck::run);
    } catch (InvalidSlapdFileException e) {
      throw CommandException.failed(ErrorMessages.line(e));
    }
  }

  private DataCheck check(Migration migration) throws IOException {
    Path place = work == null ? Path.of(System.getProperty("java.io.tmpdir")) : work;
    ProgressLine progress = progress();
    try {
      return DataCheck.of(migration, ldif, place, progress);
    } finally {
      progress.finish();
    }
  }

  private void write(Migration migration, MigrationReport report) throws IOException {
    MigrationFolder.fill(folder, migration, REPORT, report.lines());
    out().println();
    out().println("written to " + folder + ":");
    migration.files(folder).keySet().forEach(name -> out().println("  " + name));
    out().println("  " + REPORT);
    MigrationReport.next(folder, ldif).forEach(out()::println);
  }

  private void show(Migration migration) {
    out().println();
    out().println("--write would write " + folder.resolve(Migration.CONFIGURATION) + ":");
    migration.configuration(folder).lines().forEach(line -> out().println("  " + line));
    out().println("and beside it:");
    migration.files(folder).keySet().stream()
        .filter(name -> !name.equals(Migration.CONFIGURATION))
        .forEach(
            name ->
                out()
                    .println(
                        "  "
                            + name
                            + (Files.exists(folder.resolve(name)) ? " (is there already)" : "")));
  }
}
