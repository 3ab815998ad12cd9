package org.nyala.loadtest.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.util.json.JSONObject;
import com.unboundid.util.json.JSONValue;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.loadtest.workload.ExitCode;

class SeveralServersTest {
  private static final StubServer.Behaviour RIGHT =
      (request, _, out) -> out.write(StubServer.right(request));

  private final LoadTester tester = new LoadTester();

  private static String url(StubServer server) {
    return "ldap://127.0.0.1:" + server.address().getPort();
  }

  private int run(String job, String urls, String... more) {
    Stream<String> usual =
        Stream.of(job, "--url=" + urls, "--users=1000", "--warmup-seconds=0", "--first-logins=0");
    return tester.run(Stream.concat(usual, Stream.of(more)).toArray(String[]::new));
  }

  @ParameterizedTest
  @ValueSource(strings = {"search", "bind", "auth", "heavy"})
  void shouldShareConnectionsInTurn(String job, @TempDir Path directory) throws Exception {
    Path json = directory.resolve("results.json");
    try (StubServer first = StubServer.start(RIGHT);
        StubServer second = StubServer.start(RIGHT);
        StubServer third = StubServer.start(RIGHT)) {
      String urls = url(first) + "," + url(second);
      int exit =
          run(
              job,
              urls,
              "--url=" + url(third),
              "--connections=7",
              "--threads=2",
              "--operations=10",
              "--json=" + json);

      assertThat(exit).as(tester.err()).isZero();
      int each = "search bind".contains(job) ? 1 : 2;
      // The facts of the report are asked of the first server: its software, a stored password.
      assertThat(first.requests()).isBetween(30 * each, 30 * each + 2);
      assertThat(List.of(second.requests(), third.requests()))
          .containsExactly(20 * each, 20 * each);
      assertThat(tester.out())
          .containsPattern(url(first) + " +3 +30 ")
          .containsPattern(url(second) + " +2 +20 ")
          .containsPattern(url(third) + " +2 +20 ");
      JSONObject result = new JSONObject(Files.readString(json));
      assertThat(result.getFieldAsString("url")).isEqualTo(urls + "," + url(third));
      List<JSONValue> servers =
          ((JSONObject) result.getFieldAsArray("jobs").getFirst()).getFieldAsArray("perServer");
      assertThat(servers)
          .extracting(server -> ((JSONObject) server).getFieldAsInteger("operations"))
          .containsExactly(30, 20, 20);
    }
  }

  @Test
  void shouldTellWhoseOperationsFailed() throws Exception {
    StubServer.Behaviour leaving =
        (request, number, out) -> {
          if (number == 5) {
            throw new java.io.IOException("closes");
          }
          out.write(StubServer.answer(request.getMessageID()));
        };
    try (StubServer good = StubServer.start(RIGHT);
        StubServer bad = StubServer.start(leaving)) {
      int exit = run("search", url(good) + "," + url(bad), "--connections=2", "--operations=20");

      assertThat(exit).isEqualTo(ExitCode.FAILED);
      assertThat(tester.out())
          .containsPattern(url(good) + " +1 +20 +\\S+ +0 +0\\R")
          .containsPattern(url(bad) + " +1 +0 +\\S+ +[0-9]+ +1\\R");
    }
  }

  @Test
  void shouldNameTheServerThatCannotBeReached() throws Exception {
    try (StubServer good = StubServer.start(RIGHT)) {
      int exit = run("search", url(good) + ",ldap://127.0.0.1:1", "--connections=2");

      assertThat(exit).isEqualTo(ExitCode.FAILED);
      assertThat(tester.err())
          .contains("a connection could not be opened or was closed by the server 127.0.0.1:1\n");
    }
  }

  @Test
  void shouldExplainOptionsThatDoNotGoTogether() {
    String two = "ldap://127.0.0.1:1,ldap://127.0.0.1:2";
    assertThat(run("search", two, "--compare", "ldap://127.0.0.1:3", "ldap://127.0.0.1:4"))
        .isEqualTo(ExitCode.USAGE);
    assertThat(tester.err()).contains("either --url or --compare must say which server");
    assertThat(run("search", "ldap://127.0.0.1:1,ldaps://127.0.0.1:2")).isEqualTo(ExitCode.USAGE);
    assertThat(tester.err())
        .contains("--url must be all ldap:// or all ldaps://, not ldap://127.0.0.1:1 and ldaps://");
    assertThat(run("search", two, "--server-pid=1")).isEqualTo(ExitCode.USAGE);
    assertThat(tester.err()).contains("--server-pid is for one server, not for several of --url");
    assertThat(run("search", two, "--connections=1")).isEqualTo(ExitCode.USAGE);
    assertThat(tester.err())
        .contains("--connections must be at least the number of servers of --url (2), not 1");
  }
}
