package org.nyala.cli.store;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import org.nyala.cli.command.DataCommand;
import org.nyala.config.NyalaConfig;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.lmdb.admin.StoreRestore;
import org.nyala.service.DataMarker;
import org.nyala.service.UnfinishedJobs;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code nyala restore}. */
@Command(
    name = "restore",
    description = {
      "Replaces the data of the data directory with that of a backup, while no "
          + "server runs on it.",
      "The backup is copied beside the data, verified, and put in place in one step: "
          + "until then the old data is unchanged in any case.",
      "The old data is kept in a folder beside the data directory; the command prints it."
    })
public final class RestoreCommand extends DataCommand {
  private static final int MAXIMUM_PROBLEMS = 100;

  @Parameters(paramLabel = "DIR", description = "The folder that 'nyala backup' wrote.")
  private Path backup = Path.of("");

  @Option(names = "--discard-old", description = "Do not keep the old data.")
  private boolean discardOld;

  @Override
  public Integer call() throws IOException {
    NyalaConfig configuration = data().configuration();
    data().runDirectory().requireFree();
    UnfinishedJobs.before("restore", configuration).ifPresent(err()::println);
    DataMarker.lost(data().configurationFile(), configuration).ifPresent(err()::println);
    StoreRestore.Result result;
    try (CopyLine progress = new CopyLine(progress(), System::nanoTime)) {
      result =
          StoreRestore.restore(
              backup,
              configuration.data(),
              configuration.schema(Installation.current()),
              new StoreRestore.OldData(discardOld, Instant.now()),
              MAXIMUM_PROBLEMS,
              progress);
    }
    if (!result.isRestored()) {
      result.problems().forEach(err()::println);
      err().println("nyala: the backup in " + backup + " is not sound; nothing was changed");
      return ExitCode.UNSOUND;
    }
    DataMarker.note(data().configurationFile(), configuration);
    report(result, configuration.data());
    return ExitCode.OK;
  }

  private void report(StoreRestore.Result result, Path directory) {
    out()
        .printf(
            Locale.ROOT,
            "restored %d entries of %s into %s%n",
            result.manifest().entries(),
            result.manifest().time(),
            directory);
    result.kept().ifPresent(kept -> out().println("the old data was moved to " + kept));
    CopyNotes.restored(err());
  }
}
