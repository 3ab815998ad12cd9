package org.nyala.cli.running;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.nyala.cli.command.DataCommand;
import org.nyala.config.NyalaConfig;
import org.nyala.core.backend.Promotion;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.error.CommandException;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.management.bean.LocalManagement;
import org.nyala.replica.SuffixNames;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code nyala handover}. */
@Command(
    name = "handover",
    description = {
      "Has the server of the data directory, a copy, and its provider change their roles. The"
          + " provider stops taking changes, and the copy is promoted once it has them all. Then"
          + " the former provider follows it. Run it at the copy; --jmx is the port of the"
          + " provider.",
      "Each step is printed. If one fails, the provider takes changes again and the copy follows"
          + " it, exit code 1. Both servers need a replication block that names the other one; the"
          + " manual says how to prepare them.",
      "Must be run as the copy's user, with the user of management.jmxAdmin of the provider."
    })
public final class HandoverCommand extends DataCommand {
  private static final Duration END_OF_SERVER = Duration.ofSeconds(10);
  private static final long LOOK_NANOS = Duration.ofMillis(100).toNanos();

  @Option(
      names = "--wait",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description =
          "The time that each step may take: until the copy has all changes, until it is promoted,"
              + " until the former provider follows. Default: ${DEFAULT-VALUE}.")
  private int waitSeconds;

  @Option(
      names = "--suffix",
      paramLabel = "DN",
      description = "The naming context, if several are copied.")
  private @Nullable String suffix;

  @Mixin private RemoteOptions remote = new RemoteOptions();

  @Override
  public Integer call() throws IOException {
    PromoteCommand.requireBounded(waitSeconds);
    try (LocalManagement provider =
        remote.connect().orElseThrow(() -> wrongUsage("--jmx: name the port of the provider"))) {
      return manage(server -> handOver(server, provider));
    }
  }

  private int handOver(LocalManagement server, LocalManagement provider) {
    String chosen = SyncCommand.chosen(server.sync().getCopies(), suffix).suffix();
    Handover handover =
        new Handover(
            server.sync(),
            provider.sync(),
            chosen,
            waitSeconds,
            caller(),
            line -> {
              out().println(line);
              out().flush();
            },
            () -> leftBehind(chosen));
    try {
      return handover.run() ? ExitCode.OK : ExitCode.FAILED;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw CommandException.failed("interrupted: see nyala sync status at both servers");
    }
  }

  /** Looks into the data of a server that does not answer, once it has ended. */
  private Handover.Promoted leftBehind(String chosen) {
    long end = System.nanoTime() + END_OF_SERVER.toNanos();
    while (isServed()) {
      if (System.nanoTime() > end) {
        return Handover.Promoted.unknown;
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
    NyalaConfig configuration = data().configuration();
    try (LmdbBackend backend =
            LmdbBackend.open(
                configuration.data(),
                configuration.schema(Installation.current()),
                configuration.store().asReadOnly());
        ReadTransaction transaction = backend.beginRead()) {
      for (Dn each : backend.namingContexts()) {
        if (SuffixNames.isSame(each.toString(), chosen)) {
          Promotion promotion = transaction.promotion(each);
          return promotion != null && promotion.isInForce()
              ? Handover.Promoted.ended
              : Handover.Promoted.no;
        }
      }
      return Handover.Promoted.unknown;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
