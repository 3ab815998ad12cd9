package org.nyala.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.nyala.config.NyalaConfig;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.lmdb.admin.StoreVerifier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code nyala verify}. */
@Command(
    name = "verify",
    mixinStandardHelpOptions = true,
    description = {
      "Checks the pages of the data file and cross-checks every database in it; a "
          + "server may be running on it.",
      "Exit code 0 only if everything is sound, otherwise 6."
    })
final class VerifyCommand implements Callable<Integer> {
  private static final int MAXIMUM_PROBLEMS = 100;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private DataOptions data = new DataOptions();

  @Option(
      names = "--problems",
      paramLabel = "N",
      description = "The maximum number of problems to print. Default: ${DEFAULT-VALUE}.")
  private int maximumProblems = MAXIMUM_PROBLEMS;

  @Override
  public Integer call() throws IOException {
    NyalaConfig configuration = data.configuration();
    configuration.requireData();
    StoreVerifier.Report report;
    try (EntryLine progress =
        new EntryLine("checking", ProgressLine.to(spec.commandLine().getErr()), System::nanoTime)) {
      report =
          StoreVerifier.verifyValues(
              configuration.data(),
              configuration.schema(Installation.current()),
              Math.max(1, maximumProblems),
              progress);
    }
    PrintWriter out = spec.commandLine().getOut();
    if (report.isSound()) {
      out.println(
          String.format(
              Locale.ROOT,
              "sound: %d entries, %d index postings",
              report.entries(),
              report.postings()));
      return ExitCode.OK;
    }
    PrintWriter err = spec.commandLine().getErr();
    report.problems().forEach(err::println);
    err.println("nyala: " + configuration.data() + " is not sound");
    return ExitCode.UNSOUND;
  }
}
