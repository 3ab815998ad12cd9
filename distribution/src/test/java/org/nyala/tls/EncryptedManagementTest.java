package org.nyala.tls;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.TestCertificates;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.management.ServerWatch;
import org.nyala.management.WatchSettings;
import org.nyala.process.LocalServer;
import org.nyala.process.Processes;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/** Tests the encrypted HTTP port and its password with curl. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EncryptedManagementTest {
  private Path folder;
  private TestCertificates.Pair first;
  private TestCertificates.Pair second;
  private RunningServer server;

  @BeforeAll
  void start(@TempDir Path temporary) throws Exception {
    folder = temporary;
    first = pair("first.pem");
    second = pair("second.pem");
    serve("first.pem");
    password("secret");
    Path file =
        ServerProcess.configure(
            folder,
            """
            tls { certificate = server.pem, checkIntervalSeconds = 1 }
            management {
              http = "127.0.0.1:0", httpTls = true
              httpMonitor { user = scraper, passwordFile = password }
            }
            """);
    server = LocalServer.startFrom(file, folder);
  }

  private TestCertificates.Pair pair(String file) throws Exception {
    TestCertificates.Pair pair =
        TestCertificates.make(folder, "ldap.example.com", "-keyalg EC -groupname secp256r1");
    Path _ = pair.pem(folder.resolve(file));
    return pair;
  }

  private void serve(String file) throws Exception {
    Path aside = Files.copy(folder.resolve(file), folder.resolve("aside.pem"));
    Files.move(aside, folder.resolve("server.pem"), StandardCopyOption.REPLACE_EXISTING);
  }

  private void password(String password) throws Exception {
    byte[] hash =
        PasswordHash.create(PasswordScheme.SSHA512, password.getBytes(UTF_8), new SecureRandom());
    Files.writeString(folder.resolve("password"), new String(hash, UTF_8) + "\n");
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private int port() {
    return server.httpAddress().orElseThrow().getPort();
  }

  /** Runs curl, which trusts both certificates; returns the status, or the exit code below 100. */
  private int curl(String path, String... options) throws Exception {
    Files.writeString(
        folder.resolve("trusted.pem"),
        TestCertificates.pemOf("CERTIFICATE", first.certificate().getEncoded())
            + TestCertificates.pemOf("CERTIFICATE", second.certificate().getEncoded()));
    List<String> command = new ArrayList<>();
    command.addAll(List.of("/usr/bin/curl", "-q", "-s", "-o", "body", "-w", "%{http_code}"));
    command.addAll(List.of("--cacert", "trusted.pem", "--max-time", "60"));
    command.addAll(List.of(options));
    command.add((path.startsWith("/") ? "https://127.0.0.1:" + port() : "") + path);
    Processes.Result result = Processes.run(folder, Map.of(), command);
    return result.exitCode() == 0 ? Integer.parseInt(result.out()) : result.exitCode();
  }

  private String body() throws Exception {
    return Files.readString(folder.resolve("body"));
  }

  @Test
  void shouldAskForThePasswordButNotForHealth() throws Exception {
    // All event loops answer within a second then, which they may not at once.
    for (String path : List.of("/ready", "/ready?/../metrics/x")) {
      eventually(path, () -> curl(path) == 200);
      assertThat(body()).isEqualTo("ready\n");
    }
    eventually("/live", () -> curl("/live", "-I") == 200);
    for (String path : List.of("/metrics", "/other", "//", "/live/")) {
      assertThat(curl(path)).as(path).isEqualTo(401);
    }
    assertThat(curl("/metrics", "-u", "scraper:secret")).isEqualTo(200);
    assertThat(body()).contains("ldap_server_connections ");
    assertThat(curl("/other", "-u", "scraper:secret")).isEqualTo(404);
    assertThat(curl("/metrics", "-u", "scraper:secret", "-d", "x")).isEqualTo(405);
    for (String wrong : List.of("scraper:", "scraper:secre", "Scraper:secret", ":secret", ":")) {
      assertThat(curl("/metrics", "-u", wrong)).as(wrong).isEqualTo(401);
    }
    for (String header : List.of("Bearer x", "Basic", "Basic !", "Basic c2NyYXBlcg==")) {
      assertThat(curl("/metrics", "-H", "Authorization: " + header)).as(header).isEqualTo(401);
    }
    assertThat(curl("/metrics", "-D", "head")).isEqualTo(401);
    assertThat(Files.readString(folder.resolve("head")))
        .contains("WWW-Authenticate: Basic realm=\"Nyala\", charset=\"UTF-8\"");
  }

  @Test
  void shouldSpeakNothingWeaker() throws Exception {
    String[] old = {"--tlsv1.0", "--tls-max", "1.1", "--ciphers", "DEFAULT@SECLEVEL=0"};
    assertThat(curl("/live", old)).isBetween(1, 99);
    assertThat(curl("/live", "--tls-max", "1.2", "--ciphers", "AES128-SHA")).isBetween(1, 99);
    assertThat(curl("http://127.0.0.1:" + port() + "/live")).isBetween(1, 99);
    assertThat(curl("/metrics", "--tls-max", "1.2")).isEqualTo(401);
    assertThat(curl("/metrics", "--tlsv1.3")).isEqualTo(401);
  }

  @Test
  void shouldServeANewCertificateWithoutAFailure() throws Exception {
    HttpProbe old = new HttpProbe(port(), "127.0.0.1", TlsClients.trusting(first));
    HttpProbe renewed = new HttpProbe(port(), "127.0.0.1", TlsClients.trusting(second));
    HttpProbe both = new HttpProbe(port(), "127.0.0.1", TlsClients.trusting(first, second));
    assertThat(isServed(old)).isTrue();
    serve("second.pem");
    AtomicInteger requests = new AtomicInteger();
    eventually(
        "the new certificate is served",
        () -> {
          assertThat(isServed(both)).isTrue();
          requests.incrementAndGet();
          return isServed(renewed);
        });
    assertThat(requests.get()).isPositive();
    assertThat(isServed(old)).isFalse();
    // A reload reads it at once; what cannot be read changes nothing.
    serve("first.pem");
    server.reloadAndLog();
    assertThat(isServed(old)).isTrue();
    Files.writeString(folder.resolve("server.pem"), "damaged");
    server.reloadAndLog();
    assertThat(isServed(old)).isTrue();
    // Those of LDAP and of this port are looked after alike.
    ServerWatch watch = new ServerWatch(server.served(), WatchSettings.DEFAULT);
    eventually(
        "both are reported",
        () ->
            server.served().certificates().get().stream()
                    .filter(each -> each.failure().contains("server.pem"))
                    .count()
                == 2);
    watch.look();
    assertThat(server.served().notices().alarms()).anyMatch(each -> each.contains("server.pem"));
    serve("first.pem");
  }

  /** Returns whether a request is answered, which does not show the password. */
  private static boolean isServed(HttpProbe probe) {
    try {
      return probe.get("/metrics").status() == 401;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void shouldTakeANewPasswordOver() throws Exception {
    password("changed");
    server.reloadAndLog();
    try {
      assertThat(curl("/metrics", "-u", "scraper:secret")).isEqualTo(401);
      assertThat(curl("/metrics", "-u", "scraper:changed")).isEqualTo(200);
    } finally {
      password("secret");
      server.reloadAndLog();
    }
    assertThat(curl("/metrics", "-u", "scraper:secret")).isEqualTo(200);
  }
}
