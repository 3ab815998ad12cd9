package org.nyala.loadtest.agent;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.loadtest.cli.JobCommand;

/** Agents in this process, at ports of their own. */
class AgentTestCase {
  static final String SECRET = "a secret of many bytes";
  static final int LONG_MILLIS = 60_000;

  private final List<Agent> agents = new ArrayList<>();
  final List<String> log = new CopyOnWriteArrayList<>();

  @TempDir Path folder;

  @AfterEach
  void closeAgents() throws IOException {
    for (Agent agent : agents) {
      agent.close();
    }
  }

  static Secret secret() {
    return new Secret(SECRET.getBytes(StandardCharsets.UTF_8));
  }

  Agent agent() throws IOException {
    return agent(new AgentRules(null, List.of(), JobCommand::settingsOf), LONG_MILLIS);
  }

  Agent agent(AgentRules rules, int proofMillis) throws IOException {
    Agent agent =
        Agent.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            secret(),
            rules,
            log::add,
            proofMillis);
    agents.add(agent);
    return agent;
  }

  static Socket connected(Agent agent) throws IOException {
    return connected(agent.port());
  }

  static Socket connected(int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(LONG_MILLIS);
    return socket;
  }

  /** The options of a test by agents. */
  List<String> options(Agent... all) throws IOException {
    return options(List.of(all).stream().map(Agent::port).toList(), SECRET);
  }

  List<String> options(List<Integer> ports, String secret) throws IOException {
    return List.of(
        "--agents="
            + ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(",")),
        "--secret-file=" + Files.writeString(folder.resolve("secret"), secret + "\n"));
  }
}
