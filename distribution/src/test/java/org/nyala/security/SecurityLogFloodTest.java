package org.nyala.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.SimpleBindRequest;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.LocalServer;
import org.nyala.process.Processes;
import org.nyala.server.RunningServer;

/** Floods a security log that cannot be written for a while. */
class SecurityLogFloodTest {
  private static final Pattern DROPPED = Pattern.compile(" dropped=(\\d+) records");
  private static final String END = "end of the test";
  private static final int FAILURES_PLACES = 32;

  @TempDir Path folder;

  /** The log is a pipe, which nobody reads at first, so that the thread of the log waits. */
  @Test
  void shouldNotLoseTheSuccessOfAGuesserAmongItsFailures() throws Exception {
    Path pipe = Files.createDirectory(folder.resolve("pipes")).resolve("security.log");
    Processes.run(folder, Map.of("PATH", "/usr/bin:/bin"), List.of("mkfifo", pipe.toString()))
        .shouldSucceed();
    BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    try (RandomAccessFile both = new RandomAccessFile(pipe.toFile(), "rw")) {
      int failures = 0;
      Thread reader;
      try (RunningServer server =
          LocalServer.start(
              folder,
              """
              management.http = "127.0.0.1:0"
              log { queueRecords = %d, security { file = "%s", failuresPerSecond = 1000000 } }
              guessing { failuresPerSource = 0, failuresPerName = 0, failuresPerKnownSource = 0 }
              """
                  .formatted(2 * FAILURES_PLACES, pipe))) {
        String name = "uid=" + "x".repeat(1000) + ",dc=example,dc=com";
        try (LDAPConnection guesser = LocalServer.connect(server)) {
          while (dropped(server) < FAILURES_PLACES) {
            assertThat(LoggedBinds.code(guesser, new SimpleBindRequest(name, "guess")))
                .isEqualTo(49);
            failures++;
          }
          assertThat(LoggedBinds.code(guesser, new SimpleBindRequest("cn=admin", "admin")))
              .isZero();
        }
        reader = Thread.ofVirtual().start(() -> read(both, lines));
        eventually(
            "the loss is told", () -> lines.stream().anyMatch(line -> line.contains("dropped=")));
      }
      both.write((END + "\n").getBytes(UTF_8));
      reader.join();
      assertThat(lines).filteredOn(line -> line.contains(" bind from=")).hasSize(1);
      long kept = lines.stream().filter(line -> line.contains(" bind-failed ")).count();
      assertThat(kept + told(lines)).isEqualTo(failures);
    }
  }

  /** Returns the number of lines that the log has lost, as the metrics tell. */
  private static long dropped(RunningServer server) throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + server.httpAddress().orElseThrow().getPort());
    HttpRequest request = HttpRequest.newBuilder(uri.resolve("/metrics")).build();
    try (HttpClient client = HttpClient.newHttpClient()) {
      String name = "ldap_server_log_dropped_total{log=\"security\"} ";
      return client
          .send(request, HttpResponse.BodyHandlers.ofString())
          .body()
          .lines()
          .filter(line -> line.startsWith(name))
          .mapToLong(line -> (long) Double.parseDouble(line.substring(name.length())))
          .sum();
    }
  }

  /** Returns the number of lines that the log says it has lost. */
  private static long told(Iterable<String> lines) {
    long sum = 0;
    for (String line : lines) {
      Matcher matcher = DROPPED.matcher(line);
      sum += matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
    }
    return sum;
  }

  private static void read(RandomAccessFile from, BlockingQueue<String> lines) {
    try {
      for (String line = from.readLine(); !END.equals(line); line = from.readLine()) {
        lines.add(line);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
