package org.nyala.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.nyala.cli.command.ExportFile;
import org.nyala.cli.command.NyalaCommand;
import org.nyala.error.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code nyala sample}. */
@Command(
    name = "sample",
    description = {
      "Writes made-up people as LDIF, for tests and benchmarks.",
      "Person N is uid=user.N,ou=People,dc=example,dc=com with the password password.N, N from 0"
          + " up; the same seed gives the same people."
    })
final class SampleCommand extends NyalaCommand {
  @Parameters(
      arity = "0..1",
      paramLabel = "N",
      description = "The number of people, as in 'nyala serve --sample N'.")
  private @Nullable Integer people;

  @Option(names = "--entries", paramLabel = "N", description = "The same.")
  private @Nullable Integer entries;

  @Option(names = "--seed", paramLabel = "S", description = "Default: ${DEFAULT-VALUE}.")
  private long seed = SampleDirectory.DEFAULT_SEED;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "Default: standard output.")
  private @Nullable Path output;

  @Override
  public Integer call() throws IOException {
    if (people != null && entries != null) {
      throw wrongUsage("name the number of people once");
    }
    Integer wanted = people == null ? entries : people;
    if (wanted == null || wanted < 1) {
      throw wrongUsage("--entries: expected a number of people from 1 up");
    }
    try (OutputStream out = ExportFile.openDirectly(output)) {
      new SampleDirectory(wanted, seed).writeTo(out);
    }
    return ExitCode.OK;
  }
}
