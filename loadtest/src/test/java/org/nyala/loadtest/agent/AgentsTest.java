package org.nyala.loadtest.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.util.json.JSONObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.nyala.loadtest.agent.SecureLine.Kind;
import org.nyala.loadtest.agent.SecureLine.Message;
import org.nyala.loadtest.cli.JobCommand;
import org.nyala.loadtest.cli.Main;
import org.nyala.loadtest.engine.LoadTester;
import org.nyala.loadtest.engine.StubServer;
import org.nyala.loadtest.workload.ExitCode;

/** Tests by several agents, with the stub server. */
class AgentsTest extends AgentTestCase {
  private final LoadTester tester = new LoadTester();

  private static String url(StubServer server) {
    return "--url=ldap://127.0.0.1:" + server.address().getPort();
  }

  private int run(StubServer server, List<String> agents, String... more) {
    return tester.run(
        Stream.of(
                Stream.of("search", url(server), "--users=1000", "--warmup-seconds=0", "--quiet"),
                agents.stream(),
                Stream.of(more))
            .flatMap(each -> each)
            .toArray(String[]::new));
  }

  /** An agent serves one test at a time, so that each of several needs a host of its own. */
  @Test
  void shouldJoinTheSharesOfAllAgents() throws Exception {
    AtomicInteger searches = new AtomicInteger();
    AtomicInteger controls = new AtomicInteger();
    Path json = folder.resolve("results.json");
    int exit;
    List<String> agents = options(agent(), agent(), agent());
    try (StubServer server =
        StubServer.start(
            (request, _, out) -> {
              // The facts of the server are read at the root, beside the test.
              if (!request.getSearchRequestProtocolOp().getBaseDN().isEmpty()) {
                searches.incrementAndGet();
                controls.addAndGet(request.getControls().size());
              }
              out.write(StubServer.right(request));
            })) {
      exit =
          run(
              server,
              agents,
              "--connections=7",
              "--operations=20",
              "--seconds=100",
              "--control=1.2.3.4:false:text",
              "--json=" + json);
    }

    assertThat(tester.err()).isEmpty();
    assertThat(exit).isZero();
    assertThat(searches).hasValue(140);
    assertThat(controls).hasValue(140);
    JSONObject results = new JSONObject(Files.readString(json));
    assertThat(results.getFieldAsInteger("operations")).isEqualTo(140);
    assertThat(results.getFieldAsInteger("errorCount")).isZero();
    JSONObject job = (JSONObject) results.getFieldAsArray("jobs").getFirst();
    assertThat(
            job.getFieldAsArray("histogram").stream()
                .mapToInt(row -> ((JSONObject) row).getFieldAsInteger("count"))
                .sum())
        .isEqualTo(140);
    assertThat(tester.out())
        .contains("search: 7 connections", "share 1 of 3 (2 connections)")
        .containsPattern(
            "agent 127\\.0\\.0\\.1:\\d+: share 3 of 3 \\(3 connections\\); began [+-]\\d+\\.\\d ms"
                + " from the common moment \\(its clock is known to \\d+\\.\\d ms\\);"
                + " 60 operations, 0 errors; client CPU ");
    assertThat(log).filteredOn("ended"::equals).hasSize(3);
  }

  @Test
  void shouldSayThatTheSecretIsAnotherOne() throws Exception {
    Agent agent = agent();
    try (StubServer server =
        StubServer.start((request, _, out) -> out.write(StubServer.right(request)))) {
      int exit = run(server, options(List.of(agent.port()), "the secret of other people"));

      assertThat(exit).isEqualTo(ExitCode.FAILED);
      assertThat(tester.err())
          .contains(
              "the agent 127.0.0.1:"
                  + agent.port()
                  + " cannot be used: it has another secret than that of --secret-file");
    }
  }

  /** A test of another coordinator that has not begun yet keeps the agent busy, until it leaves. */
  @Test
  void shouldRunOneTestAtATime() throws Exception {
    Agent agent = agent();
    try (StubServer server =
        StubServer.start((request, _, out) -> out.write(StubServer.right(request)))) {
      AgentTask test = new AgentTask(List.of("search", url(server), "--users=10"), 0, 1, false);
      try (SecureLine first = SecureLine.ofCoordinator(connected(agent), secret())) {
        first.send(Kind.TEST, test.text());
        assertThat(told(first).kind()).isEqualTo(Kind.READY);

        assertThat(run(server, options(agent), "--operations=1")).isEqualTo(ExitCode.FAILED);
        assertThat(tester.err())
            .contains("the agent 127.0.0.1:" + agent.port() + ": it is busy with another test");
      }
      long limit = System.nanoTime() + 60_000_000_000L;
      int exit = ExitCode.FAILED;
      while (exit != 0 && System.nanoTime() - limit < 0) {
        exit = run(server, options(agent), "--operations=1");
      }
      assertThat(exit).isZero();
    }
  }

  /** Returns what an agent says; one that is busy says meanwhile that it is alive. */
  private static Message told(SecureLine agent) throws IOException {
    Message message = agent.receive();
    while (message.kind() == Kind.ALIVE) {
      message = agent.receive();
    }
    return message;
  }

  private Message answer(Agent agent, String... arguments) throws Exception {
    try (SecureLine line = SecureLine.ofCoordinator(connected(agent), secret())) {
      line.send(Kind.TEST, new AgentTask(List.of(arguments), 0, 1, false).text());
      return told(line);
    }
  }

  @Test
  void shouldRefuseWhatIsNotAllowed() throws Exception {
    Path allowed = Files.createDirectory(folder.resolve("allowed"));
    Path outside = Files.writeString(folder.resolve("names"), "user.1\n");
    Files.writeString(allowed.resolve("names"), "user.1\n");
    AgentRules rules =
        new AgentRules(
            allowed,
            List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 389)),
            JobCommand::settingsOf);
    Agent agent = agent(rules, LONG_MILLIS);
    String url = "--url=ldap://127.0.0.1:389";

    for (String option : List.of("--json=x", "--report=x", "--metrics-port=0", "@" + outside)) {
      assertThat(answer(agent, "search", url, option).text()).startsWith("it refuses the option ");
    }
    for (String file : List.of(outside.toString(), allowed + "/../names", "/nowhere")) {
      assertThat(answer(agent, "search", url, "--names=" + file).text())
          .startsWith("--names must be a file in the folder that its --files allows, not ");
    }
    Path entry = Files.writeString(allowed.resolve("entry"), "dn: uid={rand(" + outside + ")}\n");
    for (String pattern :
        List.of(
            "--filter=(uid=[file:" + outside + "])",
            "--filter=(uid={rand(" + outside + ")})",
            "--base=uid={inc(" + outside + ")},dc=example,dc=com",
            "--person-dn=uid=[sequential:" + allowed + "/../names]",
            "--filter=(uid=%s) --argument=rand(" + outside + ")",
            "--values=uid=[file:" + outside + "]",
            "--entry=" + entry)) {
      String job = pattern.startsWith("--entry") ? "add-delete" : "search";
      List<String> words = new ArrayList<>(List.of(job, url));
      words.addAll(List.of(pattern.split(" ")));
      assertThat(answer(agent, words.toArray(String[]::new)).text())
          .as(pattern)
          .contains("a file must be in the folder that the agent's --files allows, not ");
    }
    assertThat(answer(agent, "search", "--url=ldap://127.0.0.1:390", "--users=1").text())
        .isEqualTo("its --servers does not allow to load 127.0.0.1:390");
    assertThat(answer(agent, "bench").text()).isEqualTo("there is no job bench");
  }

  @Test
  void shouldRefuseOptionsThatDoNotGoWithAgents() throws Exception {
    Agent agent = agent();
    try (StubServer server =
        StubServer.start((request, _, out) -> out.write(StubServer.right(request)))) {
      assertThat(run(server, options(agent), "--metrics-port=0")).isEqualTo(ExitCode.USAGE);
      assertThat(tester.err()).contains("--metrics-port does not go with --agents");
      assertThat(run(server, options(agent), "--connections=1", "--agents=127.0.0.1:1"))
          .isEqualTo(ExitCode.USAGE);
      assertThat(run(server, options(List.of(1), "too short"))).isEqualTo(ExitCode.USAGE);
      assertThat(tester.err())
          .contains("--secret-file must be a file with a secret of at least 16 bytes");
      assertThat(run(server, List.of("--agents=127.0.0.1:1"))).isEqualTo(ExitCode.USAGE);
      assertThat(tester.err()).contains("--agents and --secret-file go together only");
    }
    assertThat(tester.run("agent", "--port=0", "--secret-file=" + folder.resolve("secret")))
        .isEqualTo(ExitCode.USAGE);
  }

  /** Kills one of two agents, which are processes, in the middle of a test. */
  @Test
  void shouldNameAnAgentThatWasKilled() throws Exception {
    Path secret = Files.writeString(folder.resolve("secret"), SECRET);
    List<Process> processes = new ArrayList<>();
    List<Integer> ports = new ArrayList<>();
    CountDownLatch atWork = new CountDownLatch(1000);
    try (StubServer server =
        StubServer.start(
            (request, _, out) -> {
              atWork.countDown();
              out.write(StubServer.right(request));
            })) {
      for (int i = 0; i < 2; i++) {
        Process process = start(secret);
        processes.add(process);
        ports.add(port(process));
      }
      Thread killer =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      atWork.await();
                      processes.getLast().destroyForcibly();
                    } catch (InterruptedException e) {
                      Thread.currentThread().interrupt();
                    }
                  });
      int exit = run(server, options(ports, SECRET), "--connections=4", "--seconds=3");
      killer.join();

      assertThat(exit).isEqualTo(ExitCode.FAILED);
      assertThat(tester.out())
          .contains(
              "1 x agent whose figures are missing",
              "agent 127.0.0.1:"
                  + ports.getLast()
                  + ": share 2 of 2 (2 connections); its figures are missing, the result is"
                  + " incomplete: ")
          .containsPattern(
              "agent 127\\.0\\.0\\.1:" + ports.getFirst() + ": share 1 of 2 .*; began ");
    } finally {
      for (Process process : processes) {
        process.destroyForcibly().waitFor();
      }
    }
  }

  private static Process start(Path secret) throws Exception {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "agent",
            "--port=0",
            "--address=127.0.0.1",
            "--secret-file=" + secret)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static int port(Process agent) throws Exception {
    BufferedReader out = agent.inputReader(StandardCharsets.UTF_8);
    String line = out.readLine();
    assertThat(line).startsWith("agent waits at port ");
    return Integer.parseInt(line.substring(line.lastIndexOf(' ') + 1));
  }
}
