package org.nyala.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchScope;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.FaultyDisk;
import org.nyala.process.FaultyDisk.Call;
import org.nyala.process.Listening;
import org.nyala.process.LocalCommands;
import org.nyala.process.ServerProcess;

/** Tests a server whose disk fails: no acknowledged change is lost, and it serves again. */
class BrokenDiskTest {
  private static final String SUFFIX = "dc=example,dc=com";
  private static final String BROKEN = "the disk cannot be read or written to";

  @TempDir Path folder;

  private final LocalCommands commands = new LocalCommands();
  private final HttpClient http = HttpClient.newHttpClient();
  private FaultyDisk disk;
  private ServerProcess server;
  private LDAPConnection client;
  private boolean hasEnded;

  @BeforeEach
  void start() throws Exception {
    disk = new FaultyDisk(folder);
    ServerProcess.configure(folder, "management.http = \"127.0.0.1:0\"");
    server = ServerProcess.start(folder, disk.environment(), ServerProcess.command(folder));
    client = server.client("cn=admin", "admin");
    client.add("dn: " + SUFFIX, "objectClass: domain", "dc: example");
    add("kept");
  }

  @AfterEach
  void stop() throws Exception {
    disk.heal();
    client.close();
    if (!hasEnded) {
      server.close();
    }
    assertThat(commands.run(folder.resolve("test.conf"), "verify"))
        .as("%s%s", commands.out(), commands.err())
        .isEqualTo(ExitCode.OK);
  }

  private void add(String name) throws Exception {
    client.add("dn: cn=" + name + "," + SUFFIX, "objectClass: device", "cn: " + name);
  }

  private LDAPException refusal(String name) throws Exception {
    try {
      add(name);
    } catch (LDAPException e) {
      return e;
    }
    throw new AssertionError("the disk has not failed");
  }

  private int entries() throws LDAPException {
    return client.search(SUFFIX, SearchScope.SUB, "(objectClass=*)", "1.1").getEntryCount();
  }

  private int status(String path) throws IOException, InterruptedException {
    int port =
        Listening.of(server.pid()).stream()
            .map(address -> Integer.parseInt(address.substring(address.indexOf(':') + 1), 16))
            .filter(each -> each != server.port())
            .findFirst()
            .orElseThrow();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build();
    return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
  }

  private void assertRefused(String name) throws Exception {
    LDAPException refusal = refusal(name);
    assertThat(refusal.getResultCode()).isEqualTo(ResultCode.UNAVAILABLE);
    assertThat(refusal.getDiagnosticMessage()).isEqualTo(BROKEN);
  }

  @Test
  void shouldServeAgainAfterAFailedWriteOfAMetaPage() throws Exception {
    for (int round = 0; round < 3; round++) {
      disk.fail(Call.META, FaultyDisk.IO_ERROR);
      assertRefused("refused" + round);
      assertRefused("refusedToo" + round);
      eventually("not to write", () -> status("/ready/write") == 503);
      assertThat(entries()).isEqualTo(2 + round);
      disk.heal();
      add("again" + round);
      assertThat(entries()).isEqualTo(3 + round);
      assertThat(client.bind("cn=admin", "admin").getResultCode()).isEqualTo(ResultCode.SUCCESS);
    }
    eventually("it lives", () -> status("/live") == 200 && status("/ready") == 200);
    eventually("it takes changes", () -> status("/ready/write") == 200);
  }

  @Test
  void shouldEndIfTheFileIsNotAsItWas() throws Exception {
    disk.fail(Call.META_IN_MEMORY, FaultyDisk.IO_ERROR);
    assertRefused("unknown");
    hasEnded = true;
    assertThat(server.exitCode()).isEqualTo(ExitCode.STORE_FAILED);
    assertThat(server.log())
        .contains("nothing can be read or changed: the data file ends with transaction ");
    disk.heal();
    try (ServerProcess next = ServerProcess.serve(folder);
        LDAPConnection again = next.client("cn=admin", "admin")) {
      assertThat(again.getEntry("cn=kept," + SUFFIX)).isNotNull();
      again.add("dn: cn=again," + SUFFIX, "objectClass: device", "cn: again");
    }
  }

  @Test
  void shouldServeAgainAfterWaitsForTheDiskThatFailed() throws Exception {
    for (Call call : new Call[] {Call.SYNC, Call.WRITE}) {
      int before = entries();
      disk.fail(call, FaultyDisk.IO_ERROR);
      assertRefused("refused" + call);
      assertThat(entries()).isEqualTo(before);
      eventually("it lives", () -> status("/live") == 200);
      disk.heal();
      add("again" + call);
      assertThat(entries()).isEqualTo(before + 1);
    }
  }
}
