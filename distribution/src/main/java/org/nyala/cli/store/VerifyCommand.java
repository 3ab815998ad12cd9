package org.nyala.cli.store;

import java.io.IOException;
import java.util.Locale;
import org.nyala.cli.command.DataCommand;
import org.nyala.config.NyalaConfig;
import org.nyala.core.schema.Schema;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.importcheck.DataExamination.ExtensionExamination;
import org.nyala.lmdb.admin.StoreVerifier;
import org.nyala.lmdb.env.EntryProgress;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code nyala verify}. */
@Command(
    name = "verify",
    description = {
      "Checks the pages of the data file and cross-checks every database in it; a "
          + "server may be running on it.",
      "Exit code 0 only if everything is sound, otherwise 6."
    })
public final class VerifyCommand extends DataCommand {
  private static final int MAXIMUM_PROBLEMS = 100;

  @Option(
      names = "--problems",
      paramLabel = "N",
      description = "The maximum number of problems to print. Default: ${DEFAULT-VALUE}.")
  private int maximumProblems = MAXIMUM_PROBLEMS;

  @Option(
      names = "--schema",
      description =
          "Also checks whether every entry conforms to the schema in force, as an import would. "
              + "Violations are counted by cause, with the first entries of each. What extensions"
              + " find in entries, such as values that a constraint forbids, is a warning: it may"
              + " have been stored before the rule.")
  private boolean withSchema;

  private SnapshotAge age() {
    int most = data().configuration().store().readerAgeSeconds();
    return new SnapshotAge(most, System::nanoTime, this::isServed);
  }

  @Override
  public Integer call() throws IOException {
    NyalaConfig configuration = data().configuration();
    configuration.requireData();
    SnapshotAge age = age();
    StoreVerifier.Report report;
    try (EntryLine progress = new EntryLine("checking", progress(), System::nanoTime)) {
      EntryProgress checked =
          (done, total) -> {
            age.require();
            progress.update(done, total);
          };
      Schema schema = configuration.schema(Installation.current());
      int most = Math.max(1, maximumProblems);
      report =
          withSchema
              ? StoreVerifier.verifySchema(configuration.data(), schema, most, checked)
              : StoreVerifier.verifyValues(configuration.data(), schema, most, checked);
    }
    if (withSchema && report.isSound()) {
      ExtensionExamination.lines(
              configuration, configuration.schema(Installation.current()), age()::require)
          .forEach(line -> err().println("warning: " + line));
    }
    if (report.isSound()) {
      out()
          .printf(
              Locale.ROOT,
              "sound: %d entries, %d index postings%n",
              report.entries(),
              report.postings());
      return ExitCode.OK;
    }
    report.problems().forEach(err()::println);
    err().println("nyala: " + configuration.data() + " is not sound");
    return ExitCode.UNSOUND;
  }
}
