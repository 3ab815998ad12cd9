package org.nyala.cli.running;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.cli.command.DataCommand;
import org.nyala.error.CommandException;
import org.nyala.error.ExitCode;
import org.nyala.management.bean.SyncMXBean;
import org.nyala.management.bean.SyncMXBean.ContextEpoch;
import org.nyala.management.bean.SyncMXBean.Copy;
import org.nyala.management.bean.SyncMXBean.Switched;
import org.nyala.replica.SuffixNames;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code nyala promote}. */
@Command(
    name = "promote",
    description = {
      "Ends the copying of another server's naming context (replication in the configuration) and"
          + " lets this server change it, without a restart. It stays so after one; nyala sync"
          + " follow makes it a copy again.",
      "A promotion begins the next epoch. A server whose data are of an earlier epoch, or of"
          + " another one of the same number, refuses all changes once it hears of it; nyala sync"
          + " status says so. With --force it is promoted again, also if it is configured as no"
          + " copy.",
      "Refused if the copy does not follow, its contextCSN is not the provider's, or the provider"
          + " still accepts changes. Always refused if serverId is 0 or another server's.",
      "Must be run as the server's user."
    })
public final class PromoteCommand extends DataCommand {
  @Option(names = "--dry-run", description = "Print the checks; change nothing.")
  private boolean dryRun;

  @Option(
      names = "--force",
      description =
          "Promote a copy that may lack changes: these are lost. For providers that died.")
  private boolean force;

  @Option(
      names = "--wait",
      paramLabel = "SECONDS",
      defaultValue = "0",
      description =
          "The time to wait until no reason against it is left. Default: ${DEFAULT-VALUE}.")
  private int waitSeconds;

  @Option(
      names = "--suffix",
      paramLabel = "DN",
      description = "The naming context, if several are copied.")
  private @Nullable String suffix;

  @Override
  public Integer call() throws IOException {
    if (force && waitSeconds > 0) {
      throw wrongUsage("--force cannot be combined with --wait");
    }
    requireBounded(waitSeconds);
    return manage(
        server -> {
          SyncMXBean sync = server.sync();
          String chosen = chosen(sync);
          return show(out(), sync.promote(chosen, force, dryRun, waitSeconds, caller()));
        });
  }

  /** Returns the naming context: a copy, or one that another server was promoted to change. */
  private String chosen(SyncMXBean sync) {
    List<Copy> copies = sync.getCopies();
    List<String> superseded =
        sync.getEpochs().stream()
            .filter(ContextEpoch::isSuperseded)
            .map(ContextEpoch::suffix)
            .filter(each -> suffix == null || SuffixNames.isSame(each, suffix))
            .toList();
    return superseded.size() == 1 && (copies.isEmpty() || suffix != null)
        ? superseded.getFirst()
        : SyncCommand.chosen(copies, suffix).suffix();
  }

  /** Requires that a request does not wait without an end. */
  static void requireBounded(int waitSeconds) {
    if (waitSeconds < 0 || waitSeconds > SyncMXBean.MOST_WAIT_SECONDS) {
      throw CommandException.usage("--wait: expected 0 to " + SyncMXBean.MOST_WAIT_SECONDS);
    }
  }

  /** Prints the result of a switch; returns the exit code. */
  static int show(PrintWriter out, Switched switched) {
    switched.lines().forEach(out::println);
    return switched.done() ? ExitCode.OK : ExitCode.FAILED;
  }
}
