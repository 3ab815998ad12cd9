package org.nyala.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchScope;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.management.bean.NoticeKind;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/** Tests a server whose data directory is taken away: changes stop, reads go on. */
class MovedDataTest {
  private static final String SUFFIX = "dc=example,dc=com";

  @TempDir Path folder;

  private final HttpClient http = HttpClient.newHttpClient();
  private RunningServer server;
  private LDAPConnection client;
  private int added;

  @BeforeEach
  void start() throws Exception {
    server = LocalServer.start(folder, "management.http = \"127.0.0.1:0\"");
    client = LocalServer.connectAsRoot(server);
    client.add("dn: " + SUFFIX, "objectClass: domain", "dc: example");
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  private ResultCode add() throws Exception {
    String name = "n" + added;
    try {
      client.add("dn: cn=" + name + "," + SUFFIX, "objectClass: device", "cn: " + name);
      added++;
      return ResultCode.SUCCESS;
    } catch (LDAPException e) {
      assertThat(e.getDiagnosticMessage()).isEqualTo("the data directory was moved or deleted");
      return e.getResultCode();
    }
  }

  private int status(String path) throws IOException, InterruptedException {
    InetSocketAddress address = server.httpAddress().orElseThrow();
    URI uri = URI.create("http://127.0.0.1:" + address.getPort() + path);
    return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  private int entries(LDAPConnection from) throws LDAPException {
    return from.search(SUFFIX, SearchScope.SUB, "(objectClass=*)", "1.1").getEntryCount();
  }

  private void assertOnlyReads() throws Exception {
    eventually("changes stop", () -> add().equals(ResultCode.UNAVAILABLE));
    eventually("it is not ready", () -> status("/ready") == 503);
    eventually(
        "there is an alarm", () -> server.served().notices().isRaised(NoticeKind.STORE_MOVED));
    eventually("it lives", () -> status("/live") == 200);
    assertThat(entries(client)).isEqualTo(1 + added);
    assertThat(add()).isEqualTo(ResultCode.UNAVAILABLE);
  }

  @Test
  void shouldGoOnWhenTheDataIsBack() throws Exception {
    assertThat(add()).isEqualTo(ResultCode.SUCCESS);
    Path data = folder.resolve("data");
    Path away = folder.resolve("away");
    Files.move(data, away);
    assertOnlyReads();
    Files.move(away, data);
    eventually("changes go on", () -> add().equals(ResultCode.SUCCESS));
    eventually("it is ready", () -> status("/ready") == 200);
    eventually("no alarm", () -> server.served().notices().alarms().isEmpty());
    client.close();
    server.close();
    server = LocalServer.start(folder, "management.http = \"127.0.0.1:0\"");
    client = LocalServer.connectAsRoot(server);
    assertThat(entries(client)).isEqualTo(1 + added);
  }

  @Test
  void shouldStopChangesWhenTheDataIsDeleted() throws Exception {
    try (Stream<Path> files = Files.list(folder.resolve("data"))) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder.resolve("data"));
    assertOnlyReads();
  }

  @Test
  void shouldStopChangesWhenAnotherFileIsInItsPlace() throws Exception {
    Path file = folder.resolve("data/data.mdb");
    Path copy = Files.copy(file, folder.resolve("copy"));
    Files.move(file, folder.resolve("away"));
    Files.move(copy, file);
    assertOnlyReads();
    assertThat(server.served().notices().alarms())
        .isEqualTo(
            List.of("changes are refused, reads go on: " + file + " is not the file that is open"));
  }
}
