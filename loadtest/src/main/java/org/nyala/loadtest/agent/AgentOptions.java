package org.nyala.loadtest.agent;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.workload.LoadSettings;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The options of a job whose load comes from agents. Confined to one thread. */
public final class AgentOptions {
  private static final int MOST_PORT = 65_535;

  @Option(
      names = "--agents",
      paramLabel = "HOST:PORT,...",
      split = ",",
      description =
          "have agents (nyala-loadtest agent) load, each with its share of --connections and of the"
              + " rate, and join their figures")
  private List<String> agents = List.of();

  @Option(
      names = "--secret-file",
      paramLabel = "FILE",
      description = "with --agents: the secret that they and this command share")
  private @Nullable Path secretFile;

  /** Returns whether agents load. */
  public boolean isWanted() {
    return !agents.isEmpty() || secretFile != null;
  }

  /**
   * Returns the test by agents.
   *
   * @param parts the whole test, job by job
   * @throws IllegalArgumentException if options are wrong, or do not go with agents
   */
  public Coordinator coordinator(CommandSpec command, List<LoadSettings> parts) throws IOException {
    Path file = secretFile;
    if (file == null || agents.isEmpty()) {
      throw new IllegalArgumentException("--agents and --secret-file go together only");
    }
    return new Coordinator(
        addresses("--agents", agents),
        Secret.read(file),
        AgentRules.arguments(command.name(), command.commandLine().getParseResult()),
        parts);
  }

  /**
   * Reads HOST:PORT of an option; an IPv6 address stands in brackets.
   *
   * @throws IllegalArgumentException if a text is none, or stands there twice
   */
  static Map<String, InetSocketAddress> addresses(String option, List<String> texts) {
    Map<String, InetSocketAddress> addresses = new LinkedHashMap<>();
    for (String text : texts) {
      String name = text.strip();
      int colon = name.lastIndexOf(':');
      String digits = name.substring(colon + 1);
      boolean isAddress = colon > 0 && digits.matches("\\d{1,5}");
      int port = isAddress ? Integer.parseInt(digits) : 0;
      LoadSettings.require(
          isAddress && port >= 1 && port <= MOST_PORT, option, "a list of HOST:PORT", text);
      InetSocketAddress address = new InetSocketAddress(name.substring(0, colon), port);
      LoadSettings.require(
          !address.isUnresolved(), option, "a list of hosts that have an address", text);
      LoadSettings.require(
          addresses.put(name, address) == null, option, "a list without repetitions", text);
    }
    return addresses;
  }
}
