package org.nyala.cli.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/** Tests {@code nyala sync} with a copy in another process. */
@Timeout(300)
class SyncCommandTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String USER = System.getProperty("user.name");
  private static final String CANARY = "canary-5d1e";

  @TempDir Path folder;

  private final LocalCommands commands = new LocalCommands();
  private Path copy;

  private int sync(String... arguments) {
    String[] all = new String[arguments.length + 1];
    all[0] = "sync";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return commands.run(copy.resolve("test.conf"), all);
  }

  private RunningServer serving(String name, String description) throws Exception {
    RunningServer server =
        LocalServer.start(Files.createDirectories(folder.resolve(name)), "serverId = 1");
    try (LDAPConnection root = LocalServer.connectAsRoot(server)) {
      root.add("dn: " + TOP, "objectClass: domain", "dc: example");
      root.add(
          "dn: cn=zoë," + TOP,
          "objectClass: person",
          "cn: zoë",
          "sn: Z",
          "description: " + description,
          "userPassword: {CLEARTEXT}" + CANARY + description);
    }
    return server;
  }

  private static String url(RunningServer server) {
    return "ldap://127.0.0.1:" + LocalServer.port(server);
  }

  @Test
  void showsControlsAndCompares() throws Exception {
    copy = Files.createDirectories(folder.resolve("copy"));
    String password = Files.writeString(folder.resolve("password"), "admin\n").toString();
    String[] bind = {"--bind-dn=cn=admin", "--password-file=" + password};
    RunningServer provider = serving("provider", "one");
    try (RunningServer other = serving("other", "two");
        ServerProcess _ =
            ServerProcess.start(
                copy,
                """
                serverId = 2, suffixes = ["%s"]
                replication { provider = "%s", bind { dn = "cn=admin", password = admin } }
                """
                    .formatted(TOP, url(provider)))) {
      eventually("it follows", () -> sync("status") == ExitCode.OK);
      assertThat(commands.out()).contains("phase       following").contains("up to date ");
      eventually(
          "status says so", () -> commands.run(copy.resolve("test.conf"), "status") == ExitCode.OK);
      assertThat(sync("compare", bind[0], bind[1])).as(commands.err()).isEqualTo(ExitCode.OK);
      assertThat(commands.out()).contains("2 entries are at both servers, 0 differ");
      assertThat(sync("compare", url(other), bind[0], bind[1])).isEqualTo(ExitCode.UNSOUND);
      assertThat(commands.out())
          .contains("only at " + url(other) + ": cn=zoë," + TOP)
          .contains("only at " + url(provider) + ": cn=zoë," + TOP)
          .doesNotContain(CANARY);
      assertThat(sync("compare", url(other), "--limit=1", bind[0], bind[1]))
          .isEqualTo(ExitCode.UNSOUND);
      assertThat(commands.out()).hasLineCount(2).contains(" 4 differ or are at one only");
      assertThat(sync("retry", "--suffix=DC=Example, DC=com")).isEqualTo(ExitCode.OK);
      assertThat(sync("confirm", "7")).isEqualTo(ExitCode.FAILED);
      assertThat(commands.err()).contains("no refresh of " + TOP + " was stopped");
      shouldRefuse(bind);
      provider.close();
      eventually("it is told of", () -> sync("status") == ExitCode.FAILED);
      eventually(
          "it has failed",
          () -> sync("status") == ExitCode.FAILED && commands.out().contains("last error"));
      shouldPromoteOnce();
    } finally {
      provider.close();
    }
    assertThat(Files.readString(copy.resolve("logs/security.log")))
        .contains(
            " copy-administered via=process action=retry user=\""
                + USER
                + "\" entry=\""
                + TOP
                + "\"\n")
        .containsOnlyOnce(" copy-administered via=process action=promote-forced user=\"" + USER)
        .doesNotContain("action=promote ");
    assertThat(sync("status")).isEqualTo(ExitCode.NOT_RUNNING);
  }

  private void shouldPromoteOnce() {
    Path conf = copy.resolve("test.conf");
    assertThat(commands.run(conf, "promote", "--dry-run")).isEqualTo(ExitCode.FAILED);
    assertThat(commands.out()).contains("would not be promoted: the provider cannot be asked");
    assertThat(commands.run(conf, "promote", "--force")).isEqualTo(ExitCode.OK);
    assertThat(commands.run(conf, "promote")).as("nothing to do").isEqualTo(ExitCode.OK);
    assertThat(sync("status")).isEqualTo(ExitCode.OK);
    assertThat(commands.out()).contains("phase       promoted").doesNotContain("lag  ");
    assertThat(sync("retry")).isEqualTo(ExitCode.FAILED);
    assertThat(commands.err()).contains(TOP + " is promoted");
  }

  private void shouldRefuse(String... bind) {
    assertThat(sync("compare", "ldap://192.0.2.1", bind[0], bind[1])).isEqualTo(ExitCode.USAGE);
    assertThat(commands.err()).contains("clear text to ldap://192.0.2.1:389");
    assertThat(sync("compare", "https://x")).isEqualTo(ExitCode.USAGE);
    assertThat(sync("status", "--base=" + TOP)).isEqualTo(ExitCode.USAGE);
    assertThat(sync("status", "--limit=1")).isEqualTo(ExitCode.USAGE);
    assertThat(sync("retry", "--force")).isEqualTo(ExitCode.USAGE);
    assertThat(sync("confirm", "1", "--wait=1")).isEqualTo(ExitCode.USAGE);
    assertThat(sync("status", "--suffix=" + TOP)).isEqualTo(ExitCode.USAGE);
    assertThat(sync("follow", "--wait=3601")).isEqualTo(ExitCode.USAGE);
    assertThat(sync("retry", "--suffix=dc=other")).isEqualTo(ExitCode.FAILED);
  }
}
