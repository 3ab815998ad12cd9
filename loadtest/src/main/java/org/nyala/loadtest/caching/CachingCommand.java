package org.nyala.loadtest.caching;

import java.util.concurrent.Callable;
import org.nyala.loadtest.workload.ExitCode;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The group of commands on a caching store. Immutable. */
@Command(
    name = "caching",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {CachingLoadCommand.class, CachingServeCommand.class},
    description =
        "Loads and serves a store with caches, Berkeley DB Java Edition behind a cache of entries,"
            + " to compare Nyala's store with.")
public final class CachingCommand implements Callable<Integer> {
  /** Shows the usage if no command is named. */
  @Override
  public Integer call() {
    CommandLine.usage(this, System.err);
    return ExitCode.USAGE;
  }
}
