package org.nyala.build;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import org.nyala.cli.SampleData;
import org.nyala.cli.SampleDirectory;
import org.nyala.config.ConfigurationFile;
import org.nyala.config.NyalaConfig;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.error.Version;
import org.nyala.lmdb.format.DefaultIndexes;
import org.nyala.management.ManagementBeans;
import org.nyala.management.MonitorTree;
import org.nyala.migrate.DirectiveTable;
import org.nyala.migrate.MigrationNote;
import org.nyala.server.ConfigurationCheck;
import org.nyala.server.RunningServer;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/**
 * Writes the parts of the manual that the program itself knows best, from a server that runs for
 * that: keys, commands, exit codes, beans, metrics, counters and {@code cn=Monitor}.
 */
@Command(name = "reference", hidden = true, description = "Used by the build.")
final class ReferenceCommand implements Callable<Integer> {
  private static final String PERSON = "uid=user.0,ou=People," + SampleDirectory.SUFFIX;

  @Option(
      names = "--project",
      required = true,
      paramLabel = "DIR",
      description = "The folder of the project, with the comments on the keys.")
  private Path project = Path.of("");

  @Option(
      names = "--output",
      required = true,
      paramLabel = "DIR",
      description = "The folder to write to.")
  private Path output = Path.of("");

  @Override
  public Integer call() throws IOException, JMException {
    Files.createDirectories(output);
    List<String> indexes =
        DefaultIndexes.of(Installation.current().schema()).stream()
            .map(index -> index.type().name() + ":" + index.kindsText())
            .toList();
    write("keys", KeyReference.of(ShippedConfiguration.lines(project), indexes));
    write("commands", CommandReference.commands());
    write("exit-codes", CommandReference.exitCodes());
    write("migration", MigrationReference.of());
    write("counters", MetricReference.counters());
    write("load-tester", LoadTesterReference.of(org.nyala.loadtest.cli.Main.commandLine()));
    MBeanServer registry = MBeanServerFactory.newMBeanServer();
    NyalaConfig configuration = configuration();
    try (SampleData people = SampleData.create(1, configuration);
        RunningServer server =
            RunningServer.start(configuration.withData(people.data()), Installation.current());
        ManagementBeans _ = server.register(registry)) {
      URI url = URI.create(server.listeners().getFirst());
      try (TrainingClient client = new TrainingClient(url.getHost(), url.getPort())) {
        // Events that did not happen have no metric, and clients that are not connected no entry.
        client.bind(PERSON, "password.0");
        client.search(SampleDirectory.SUFFIX, "uid", "user.0");
        write(server, registry);
      }
    }
    return ExitCode.OK;
  }

  private void write(RunningServer server, MBeanServer registry) throws IOException, JMException {
    write("beans", BeanReference.of(registry));
    write("metrics", MetricReference.of(metrics(server.httpAddress().orElseThrow())));
    MonitorTree monitor = new MonitorTree(InstantSource.system(), Version.program());
    monitor.serve(server.served());
    write("monitor", MonitorReference.of(monitor.top(), Installation.current().schema()));
  }

  private void write(String part, String text) throws IOException {
    Files.writeString(output.resolve(part + ".adoc"), text);
  }

  private static NyalaConfig configuration() throws IOException {
    Path file = Files.createTempFile("nyala-reference-", ".conf");
    try {
      Files.writeString(
          file,
          """
          nyala {
            listeners = ["ldap://127.0.0.1:0"], management.http = "127.0.0.1:0", log.security.format = off
          }
          """);
      return ConfigurationFile.read(file, Path.of(""));
    } finally {
      Files.delete(file);
    }
  }

  private static List<String> metrics(InetSocketAddress address) throws IOException {
    URI uri = URI.create("http://127.0.0.1:" + address.getPort() + "/metrics");
    try (InputStream in = uri.toURL().openStream()) {
      return new String(in.readAllBytes(), UTF_8).lines().toList();
    }
  }

  /**
   * Writes the reference of the load tester's commands in AsciiDoc, as {@code --help} shows them;
   * commands with the same options, as all jobs have, share a section.
   */
  static final class LoadTesterReference {
    private LoadTesterReference() {}

    /** Returns all commands, in the order of the help. */
    static String of(CommandLine root) {
      StringBuilder text = new StringBuilder();
      CommandReference.write(root, text);
      Map<String, List<CommandSpec>> groups = new LinkedHashMap<>();
      for (CommandLine each : new LinkedHashSet<>(root.getSubcommands().values())) {
        groups.computeIfAbsent(options(each), _ -> new ArrayList<>()).add(each.getCommandSpec());
      }
      groups.forEach(
          (options, commands) -> {
            if (commands.size() == 1) {
              CommandLine command = commands.getFirst().commandLine();
              CommandReference.write(command, text);
              command
                  .getSubcommands()
                  .values()
                  .forEach(below -> CommandReference.write(below, text));
            } else {
              write(root.getCommandName(), commands, options, text);
            }
          });
      return text.toString();
    }

    private static String options(CommandLine command) {
      Help help = new Help(command.getCommandSpec(), Help.defaultColorScheme(Ansi.OFF));
      return help.parameterList() + help.optionList();
    }

    private static void write(
        String program, List<CommandSpec> commands, String options, StringBuilder text) {
      text.append("[#command-").append(program).append("-job]\n=== ");
      text.append(AdocText.code("bin/" + program + " JOB")).append("\n\n");
      text.append("[cols=\"1,4\",options=header]\n|===\n|JOB |What\n\n");
      for (CommandSpec command : commands) {
        String description = String.join(" ", command.usageMessage().description());
        text.append('|').append(names(command));
        text.append(" |").append(AdocText.prose(description)).append('\n');
      }
      text.append("|===\n\n[subs=specialchars]\n----\n");
      text.append(options.stripTrailing()).append("\n----\n\n");
    }

    private static String names(CommandSpec command) {
      return String.join(", ", command.names().stream().sorted().map(AdocText::code).toList());
    }
  }

  /**
   * Writes in AsciiDoc what {@code nyala migrate} makes of each directive and overlay of slapd.
   * Stateless.
   */
  static final class MigrationReference {
    private MigrationReference() {}

    /** Returns the tables, one for each kind of section. */
    static String of() throws IOException {
      StringBuilder text = new StringBuilder();
      begin("Global", text);
      boolean isOfDatabase = false;
      boolean isOfOverlay = false;
      for (DirectiveTable.Row row : DirectiveTable.rows(ConfigurationCheck::run)) {
        if (row.line().startsWith("database ") && !isOfDatabase) {
          isOfDatabase = true;
          begin("Databases", text.append("|===\n\n"));
        } else if (row.line().startsWith("overlay ") && !isOfOverlay) {
          isOfOverlay = true;
          begin("Overlays", text.append("|===\n\n"));
        }
        write(row, text);
      }
      return text.append("|===\n").toString();
    }

    private static void begin(String heading, StringBuilder text) {
      text.append("=== ").append(heading);
      text.append("\n\n[cols=\"3,7\",options=header]\n|===\n|slapd |nyala migrate\n\n");
    }

    private static void write(DirectiveTable.Row row, StringBuilder text) {
      text.append('|').append(AdocText.code(row.line())).append(" |");
      text.append(
          String.join(
              "; ",
              row.remarks().stream()
                  .map(note -> word(note.kind()) + AdocText.plain(note.text()))
                  .toList()));
      text.append('\n');
    }

    private static String word(MigrationNote.Kind kind) {
      return switch (kind) {
        case TRANSLATED -> "*Translated*: ";
        case DIFFERENT -> "*Not quite the same*: ";
        case MISSING -> "*No counterpart*: ";
        case NEEDLESS -> "*Not needed*: ";
      };
    }
  }
}
