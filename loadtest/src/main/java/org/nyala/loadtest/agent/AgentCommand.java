package org.nyala.loadtest.agent;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.workload.ExitCode;
import org.nyala.loadtest.workload.LoadSettings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Waits for tests of coordinators until it is ended. Confined to the thread that runs it. */
@Command(
    name = "agent",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    sortOptions = false,
    description = "Loads servers for tests with --agents, which know the same secret.")
public final class AgentCommand implements Callable<Integer> {
  private static final int MOST_PORT = 65_535;

  private final AgentRules.Parser parser;

  @Option(
      names = "--port",
      required = true,
      description = "the port to wait at; 0: a free one, which is printed")
  private int port;

  @Option(
      names = "--secret-file",
      paramLabel = "FILE",
      required = true,
      description = "the secret that tests must know, of at least 16 bytes")
  private @Nullable Path secretFile;

  @Option(
      names = "--address",
      description = "the address to wait at; all of this host unless given")
  private String address = "";

  @Option(
      names = "--files",
      paramLabel = "DIR",
      description = "the folder whose files tests may read; none unless given")
  private @Nullable Path files;

  @Option(
      names = "--servers",
      paramLabel = "HOST:PORT,...",
      split = ",",
      description = "the servers that tests may load; any unless given")
  private List<String> servers = List.of();

  @Spec private @Nullable CommandSpec spec;

  /** Waits for tests whose options a parser reads. */
  public AgentCommand(AgentRules.Parser parser) {
    this.parser = parser;
  }

  @Override
  public Integer call() throws InterruptedException {
    CommandSpec command = Objects.requireNonNull(spec);
    PrintWriter out = command.commandLine().getOut();
    try (Agent agent = start(out)) {
      out.println("agent waits at port " + agent.port());
      out.flush();
      agent.await();
      return ExitCode.OK;
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      command.commandLine().getErr().println("nyala-loadtest: " + e.getMessage());
      return ExitCode.FAILED;
    }
  }

  private Agent start(PrintWriter out) throws IOException {
    Path secret = Objects.requireNonNull(secretFile);
    LoadSettings.require(
        Files.isReadable(secret), "--secret-file", "a file that can be read", secret);
    LoadSettings.require(port >= 0 && port <= MOST_PORT, "--port", "from 0 to " + MOST_PORT, port);
    Path folder = files;
    LoadSettings.require(
        folder == null || Files.isDirectory(folder), "--files", "a folder", String.valueOf(folder));
    InetSocketAddress at =
        address.isEmpty() ? new InetSocketAddress(port) : new InetSocketAddress(address, port);
    LoadSettings.require(!at.isUnresolved(), "--address", "an address of this host", address);
    AgentRules rules =
        new AgentRules(
            folder, List.copyOf(AgentOptions.addresses("--servers", servers).values()), parser);
    return Agent.start(
        at,
        Secret.read(secret),
        rules,
        line -> {
          out.println(line);
          out.flush();
        },
        SecureLine.PROOF_MILLIS);
  }
}
