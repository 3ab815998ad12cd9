package org.nyala.loadtest.agent;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.options.PasswordFile;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.PatternReader;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * The options that go from a coordinator to agents, and what an agent allows of them. Immutable.
 *
 * @param folder the folder whose files tests may read; null for none
 * @param servers the servers that tests may load; empty for any
 * @param parser the reader of command lines of jobs
 */
public record AgentRules(@Nullable Path folder, List<InetSocketAddress> servers, Parser parser) {
  /** Reads the settings of a job's command line, and does nothing else. */
  @FunctionalInterface
  public interface Parser {
    /**
     * Returns the settings of each job.
     *
     * @throws IllegalArgumentException if the options are wrong, with a sentence
     */
    List<LoadSettings> settings(List<String> arguments) throws IOException;
  }

  /** Options that an agent accepts: they are data, and name no file and nothing to write to. */
  private static final Set<String> DATA =
      words(
          "--url --connections --threads --seconds --warmup-seconds --operations --base --people"
              + " --users --modifiers --attribute --sort-key --window --page-size --bind-dn"
              + " --password --mechanism --user --authzid --people-mechanism --people-user"
              + " --allow-clear-text --values --names-attribute --argument --person-dn"
              + " --person-password --filter --scope --attributes --change --order --skew"
              + " --rate --arrivals --arrivals-seed --ramp --steps --think-time --depth"
              + " --time-out --interval --mix --sync --sync-cookie --check-every --start-tls"
              + " --trust-all --wrong-passwords --resume --as-person --control"
              + " --new-password");

  /** Options that name a file to read, on each host the same name. */
  private static final Set<String> FILES = words("--ca --certificate --key --names --entry");

  /** Options that the coordinator follows itself. */
  private static final Set<String> OWN =
      words(
          "--agents --secret-file --report --json --histogram --fail-if --junit --quiet"
              + " --allow-disturbed --first-logins --no-trial --writes");

  private static final String PASSWORD_FILE = "--password-file";

  public AgentRules {
    servers = List.copyOf(servers);
  }

  private static Set<String> words(String text) {
    return Set.of(text.split(" "));
  }

  /**
   * Returns the command line for agents.
   *
   * @throws IllegalArgumentException if an option does not go with agents
   */
  static List<String> arguments(String job, ParseResult command) throws IOException {
    List<String> arguments = new ArrayList<>(List.of(job));
    for (OptionSpec option : command.matchedOptions()) {
      String name = option.longestName();
      if (name.equals(PASSWORD_FILE)) {
        Path file = Path.of(option.originalStringValues().getFirst());
        arguments.add("--password=" + PasswordFile.read(file));
      } else if (DATA.contains(name) || FILES.contains(name)) {
        boolean isFlag = option.arity().max() == 0;
        option
            .originalStringValues()
            .forEach(value -> arguments.add(isFlag ? name : name + "=" + value));
      } else if (!OWN.contains(name)) {
        throw new IllegalArgumentException(name + " does not go with --agents");
      }
    }
    return List.copyOf(arguments);
  }

  /**
   * Returns the settings of a test that is allowed.
   *
   * @throws IllegalArgumentException if an option is wrong or refused, with a sentence
   */
  List<LoadSettings> settings(AgentTask test) throws IOException {
    for (String argument : test.arguments().subList(1, test.arguments().size())) {
      int end = argument.indexOf('=');
      check(
          end < 0 ? argument : argument.substring(0, end),
          end < 0 ? "" : argument.substring(end + 1));
    }
    // Patterns name files in the middle of their text.
    List<LoadSettings> whole =
        ScopedValue.where(PatternReader.READABLE, this::isReadable)
            .call(() -> parser.settings(test.arguments()));
    InetSocketAddress server = whole.getFirst().server();
    if (!servers.isEmpty() && !servers.contains(server)) {
      throw new IllegalArgumentException(
          "its --servers does not allow to load "
              + server.getHostString()
              + ":"
              + server.getPort());
    }
    return test.shares(whole);
  }

  private void check(String name, String value) {
    if (FILES.contains(name)) {
      if (!isReadable(value)) {
        throw new IllegalArgumentException(
            name + " must be a file in the folder that its --files allows, not " + value);
      }
    } else if (!DATA.contains(name)) {
      throw new IllegalArgumentException("it refuses the option " + name);
    }
  }

  private boolean isReadable(String file) {
    try {
      return isReadable(Path.of(file));
    } catch (InvalidPathException e) {
      return false;
    }
  }

  private boolean isReadable(Path file) {
    Path allowed = folder;
    try {
      return allowed != null && file.toRealPath().startsWith(allowed.toRealPath());
    } catch (IOException e) {
      return false;
    }
  }
}
