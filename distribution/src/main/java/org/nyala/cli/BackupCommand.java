package org.nyala.cli;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.nyala.config.NyalaConfig;
import org.nyala.error.ExitCode;
import org.nyala.error.Version;
import org.nyala.lmdb.admin.BackupManifest;
import org.nyala.lmdb.admin.StoreBackup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code nyala backup}. */
@Command(
    name = "backup",
    mixinStandardHelpOptions = true,
    description = {
      "Writes the current data to a new folder; 'nyala restore' restores it.",
      "A server may be running on the data directory: it is not delayed, and the "
          + "backup contains every change that it has answered before.",
      "The backup contains neither the configuration nor the schema files.",
      "Must be run as the server's user."
    })
final class BackupCommand implements Callable<Integer> {
  private static final double MEBIBYTE = 1 << 20;
  private static final double NANOS_PER_SECOND = 1e9;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private DataOptions data = new DataOptions();

  @Parameters(
      paramLabel = "DIR",
      description = "The folder: created if it does not exist, and rejected unless it is empty.")
  private Path target = Path.of("");

  @Override
  public Integer call() {
    NyalaConfig configuration = data.configuration();
    configuration.requireData();
    long startNanos = System.nanoTime();
    BackupManifest manifest;
    try (CopyLine progress =
        new CopyLine(ProgressLine.to(spec.commandLine().getErr()), System::nanoTime)) {
      manifest =
          StoreBackup.write(
              configuration.data(),
              configuration.store(),
              target,
              Version.program(),
              InstantSource.system(),
              progress);
    }
    spec.commandLine()
        .getOut()
        .println(
            String.format(
                Locale.ROOT,
                "backed up %d entries, %.1f MiB, to %s in %.1f s",
                manifest.entries(),
                manifest.bytes() / MEBIBYTE,
                target,
                (System.nanoTime() - startNanos) / NANOS_PER_SECOND));
    return ExitCode.OK;
  }
}
