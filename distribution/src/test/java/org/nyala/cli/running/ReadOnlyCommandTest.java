package org.nyala.cli.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.FreePorts;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/** Tests {@code nyala read-only} with a server in another process. */
@Timeout(300)
class ReadOnlyCommandTest {
  private static final String TOP = "dc=example,dc=com";

  @TempDir Path folder;

  private final LocalCommands commands = new LocalCommands();

  private String out(String... command) {
    assertThat(commands.run(folder.resolve("test.conf"), command))
        .as(commands.err())
        .isEqualTo(ExitCode.OK);
    return commands.out();
  }

  private static void add(LDAPConnection client, String name) throws LDAPException {
    client.add("ou=" + name + "," + TOP, new Attribute("objectClass", "organizationalUnit"));
  }

  private static void requireRefused(LDAPConnection client) {
    assertThatThrownBy(() -> add(client, "refused"))
        .isInstanceOfSatisfying(
            LDAPException.class,
            e -> assertThat(e.getResultCode()).isEqualTo(ResultCode.UNWILLING_TO_PERFORM))
        .hasMessageContaining("the directory is read-only");
    assertThatThrownBy(
            () ->
                client.modify(
                    "dn: cn=Subschema",
                    "changetype: modify",
                    "add: attributeTypes",
                    "attributeTypes: ( 1.3.6.1.4.1.99999.1 NAME 'late' SYNTAX"
                        + " 1.3.6.1.4.1.1466.115.121.1.15 )"))
        .hasMessageContaining("the directory is read-only");
  }

  private static int ready(int port) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/ready/write")).build(),
            HttpResponse.BodyHandlers.ofString())
        .statusCode();
  }

  @Test
  void shouldEndChangesAndTakeThemUpAgain() throws Exception {
    int http = FreePorts.take();
    try (ServerProcess server =
            ServerProcess.start(folder, "management.http = \"127.0.0.1:%d\"".formatted(http));
        LDAPConnection root = server.client("cn=admin", "admin")) {
      root.add("dn: " + TOP, "objectClass: domain", "dc: example");
      assertThat(out("read-only")).isEqualTo("read-only: off\n");
      eventually("it is ready", () -> ready(http) == 200);
      assertThat(out("read-only", "on")).isEqualTo("read-only: on, was off\n");
      requireRefused(root);
      assertThat(root.getEntry(TOP)).isNotNull();
      assertThat(ready(http)).isEqualTo(503);
      eventually(
          "status tells it",
          () ->
              commands.run(folder.resolve("test.conf"), "status") == ExitCode.OK
                  && commands.out().contains("read-only    every change is refused"));
      assertThat(root.getEntry("cn=Databases,cn=Monitor", "readOnly").getAttributeValue("readOnly"))
          .isEqualTo("TRUE");
      assertThat(out("read-only", "on")).isEqualTo("read-only: on, was on\n");
      assertThat(commands.run(folder.resolve("test.conf"), "account", "lock", "uid=a," + TOP))
          .isEqualTo(ExitCode.FAILED);
      assertThat(out("read-only", "off")).isEqualTo("read-only: off, was on\n");
      add(root, "again");
      eventually("it is ready", () -> ready(http) == 200);
    }
    assertThat(Files.readString(folder.resolve("logs/security.log")))
        .containsOnlyOnce(" read-only-switched via=process action=on user=\"")
        .containsOnlyOnce(" read-only-switched via=process action=off user=\"");
  }

  @Test
  void shouldAcknowledgeNothingAfterwardsAndServeCopies() throws Exception {
    try (ServerProcess server = ServerProcess.start(folder, "serverId = 1");
        LDAPConnection root = server.client("cn=admin", "admin")) {
      root.add("dn: " + TOP, "objectClass: domain", "dc: example");
      AtomicInteger added = new AtomicInteger();
      AtomicReference<LDAPException> end = new AtomicReference<>();
      Thread writer =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try (LDAPConnection client = server.client("cn=admin", "admin")) {
                      while (true) {
                        add(client, "n" + added.get());
                        added.incrementAndGet();
                      }
                    } catch (LDAPException e) {
                      end.set(e);
                    }
                  });
      eventually("it writes", () -> added.get() > 50);
      out("read-only", "on");
      String seen = contextCsn(root);
      writer.join();
      assertThat(end.get().getResultCode()).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
      assertThat(contextCsn(root)).isEqualTo(seen);
      String copy =
          """
          serverId = 2, replication { provider = "ldap://127.0.0.1:%d",
            bind { dn = "cn=admin", password = "admin" } }
          """
              .formatted(server.port());
      Path second = Files.createDirectory(folder.resolve("copy"));
      try (RunningServer follower = LocalServer.start(second, copy);
          LDAPConnection client = LocalServer.connectAsRoot(follower)) {
        String last = "ou=n" + (added.get() - 1) + "," + TOP;
        eventually("the copy has all", () -> client.getEntry(last) != null);
        out("read-only", "off");
        add(root, "later");
        eventually("it follows", () -> client.getEntry("ou=later," + TOP) != null);
      }
    }
  }

  private static String contextCsn(LDAPConnection client) throws LDAPException {
    return client.getEntry(TOP, "contextCSN").getAttributeValue("contextCSN");
  }

  @Test
  void shouldNotOverruleTheConfiguration() throws Exception {
    try (ServerProcess server = ServerProcess.start(folder, "");
        LDAPConnection root = server.client("cn=admin", "admin")) {
      root.add("dn: " + TOP, "objectClass: domain", "dc: example");
    }
    ServerProcess.configure(folder, "readOnly = true");
    try (ServerProcess server = ServerProcess.serve(folder);
        LDAPConnection root = server.client("cn=admin", "admin")) {
      requireRefused(root);
      assertThat(out("read-only")).isEqualTo("read-only: on\n");
      assertThat(commands.run(folder.resolve("test.conf"), "read-only", "off"))
          .isEqualTo(ExitCode.FAILED);
      assertThat(commands.err()).contains("readOnly is true in the configuration");
    }
    assertThat(commands.run(folder.resolve("test.conf"), "read-only", "on"))
        .isEqualTo(ExitCode.NOT_RUNNING);
  }
}
