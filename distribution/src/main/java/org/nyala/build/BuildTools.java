package org.nyala.build;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.nyala.cli.Main;
import org.nyala.cli.SampleData;
import org.nyala.cli.SampleDirectory;
import org.nyala.config.ConfigurationFile;
import org.nyala.config.ListenAddress;
import org.nyala.config.NyalaConfig;
import org.nyala.core.access.AccessPolicy;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.management.ManagementBeans;
import org.nyala.server.RunningServer;
import org.nyala.service.Heartbeat;
import org.nyala.service.RunDirectory;
import org.nyala.service.SystemdNotifier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The command line of the build: commands that make parts of the tarball by running the program.
 */
@Command(
    name = "nyala",
    description = "Used by the build.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      BuildTools.TrainCommand.class,
      ReferenceCommand.class,
      ShippedConfiguration.class
    })
public final class BuildTools implements Runnable {
  private static final Set<String> COMMANDS = Set.of("train", "reference", "configuration");

  @Spec private CommandSpec spec = CommandSpec.create();

  private BuildTools() {}

  /** Runs a command and ends the process with its exit code. */
  public static void main(String[] arguments) {
    Main.run(BuildTools::commandLine, arguments);
  }

  /** Returns whether arguments begin with a command of the build. */
  public static boolean isMeant(String[] arguments) {
    return arguments.length > 0 && COMMANDS.contains(arguments[0]);
  }

  /** Returns the parser for the commands of the build. */
  static CommandLine commandLine() {
    return Main.explaining(new CommandLine(new BuildTools()));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "no command given");
  }

  /**
   * Runs the program once along its own paths; the build has the JVM record the classes that it
   * loads and links, so that the program starts fast later.
   */
  @Command(name = "train", hidden = true, description = "Used by the build.")
  static final class TrainCommand implements Callable<Integer> {
    private static final String PEOPLE = "ou=People," + SampleDirectory.SUFFIX;

    @Option(
        names = "--entries",
        required = true,
        paramLabel = "N",
        description = "The number of people.")
    private int entries;

    @Override
    public Integer call() throws IOException {
      // Every start of the program reads its command line.
      Main.commandLine().parseArgs("serve");
      NyalaConfig configuration =
          ConfigurationFile.ofInstallation(Installation.current())
              .withListeners(List.of(new ListenAddress("127.0.0.1", 0)))
              .withSuffixes(List.of())
              .withAccess(new AccessPolicy(true));
      new SampleDirectory(entries, SampleDirectory.DEFAULT_SEED)
          .writeTo(OutputStream.nullOutputStream());
      try (SampleData sample = SampleData.create(entries, configuration)) {
        Path log = sample.data().resolve("security.log");
        NyalaConfig served = configuration.withData(sample.data()).withSecurityLog(log);
        RunDirectory run = RunDirectory.of(served);
        try (RunDirectory.Lease lease = run.acquire();
            Heartbeat signs =
                Heartbeat.begin(
                    run, SystemdNotifier.none(), InstantSource.system(), System::nanoTime);
            RunningServer server =
                RunningServer.start(served, Installation.current(), () -> served, signs);
            ManagementBeans beans =
                new ManagementBeans(
                    ManagementFactory.getPlatformMBeanServer(), server.served().notices())) {
          beans.with(server.dispatchManagement());
          lease.ready(server.listeners());
          signs.ready(server.listeners());
          converse(URI.create(server.listeners().getFirst()));
        }
      }
      return ExitCode.OK;
    }

    private void converse(URI url) throws IOException {
      try (TrainingClient client = new TrainingClient(url.getHost(), url.getPort())) {
        for (int n = 0; n < entries; n++) {
          client.search(PEOPLE, "uid", "user." + n);
        }
        for (int n = 0; n < entries; n++) {
          client.bind("uid=user." + n + "," + PEOPLE, "password." + n);
        }
        client.search(SampleDirectory.SUFFIX, "cn", "Ada Young");
        client.scan(SampleDirectory.SUFFIX);
      }
    }
  }
}
