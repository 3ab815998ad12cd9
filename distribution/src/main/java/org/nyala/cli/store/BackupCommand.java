package org.nyala.cli.store;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Locale;
import org.nyala.cli.command.DataCommand;
import org.nyala.config.NyalaConfig;
import org.nyala.error.ExitCode;
import org.nyala.error.Version;
import org.nyala.lmdb.admin.BackupManifest;
import org.nyala.lmdb.admin.CopyProgress;
import org.nyala.lmdb.admin.StoreBackup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code nyala backup}. */
@Command(
    name = "backup",
    description = {
      "Writes the current data to a new folder; 'nyala restore' restores it.",
      "A server may be running on the data directory: it is not delayed, and the "
          + "backup contains every change that it has answered before.",
      "The backup contains neither the configuration nor the schema files.",
      "Must be run as the server's user."
    })
public final class BackupCommand extends DataCommand {
  private static final double MEBIBYTE = 1 << 20;
  private static final double NANOS_PER_SECOND = 1e9;

  @Parameters(
      paramLabel = "DIR",
      description = "The folder: created if it does not exist, and rejected unless it is empty.")
  private Path target = Path.of("");

  @Override
  public Integer call() throws IOException {
    NyalaConfig configuration = data().configuration();
    configuration.requireData();
    if (StoreBackup.isUnfinished(target)) {
      err().println("an earlier backup to " + target + " did not finish: this one replaces it");
    }
    for (Path unfinished : StoreBackup.unfinishedBeside(target)) {
      err().println("the backup in " + unfinished + " did not finish: delete it, or repeat it");
    }
    long startNanos = System.nanoTime();
    SnapshotAge age =
        new SnapshotAge(configuration.store().readerAgeSeconds(), System::nanoTime, this::isServed);
    BackupManifest manifest;
    try (CopyLine progress = new CopyLine(progress(), System::nanoTime)) {
      manifest =
          StoreBackup.write(
              configuration.data(),
              configuration.store(),
              target,
              Version.program(),
              InstantSource.system(),
              (phase, done, total) -> {
                if (phase == CopyProgress.Phase.COPYING) {
                  age.require();
                }
                progress.update(phase, done, total);
              });
    }
    out()
        .printf(
            Locale.ROOT,
            "backed up %d entries, %.1f MiB, to %s in %.1f s%n",
            manifest.entries(),
            manifest.bytes() / MEBIBYTE,
            target,
            (System.nanoTime() - startNanos) / NANOS_PER_SECOND);
    return ExitCode.OK;
  }
}
