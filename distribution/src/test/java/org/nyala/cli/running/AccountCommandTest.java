package org.nyala.cli.running;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.util.json.JSONObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.cli.running.AccountCommand.AccountReport;
import org.nyala.error.ExitCode;
import org.nyala.management.bean.AccountsMXBean.Account;
import org.nyala.process.LocalCommands;
import org.nyala.process.ServerProcess;

/** Tests {@code nyala account} with a server in another process. */
@Timeout(300)
class AccountCommandTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String ANN = "uid=ann," + TOP;
  private static final String BOB = "uid=bob," + TOP;

  @TempDir Path folder;

  private final LocalCommands commands = new LocalCommands();

  private int account(String... arguments) {
    String[] all = new String[arguments.length + 1];
    all[0] = "account";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return commands.run(folder.resolve("test.conf"), all);
  }

  private String out(String... arguments) {
    assertThat(account(arguments)).as(commands.err()).isEqualTo(ExitCode.OK);
    return commands.out();
  }

  private static void fill(ServerProcess server) throws Exception {
    try (LDAPConnection root = server.client("cn=admin", "admin")) {
      root.add("dn: " + TOP, "objectClass: domain", "dc: example");
      root.add(
          "dn: cn=policy," + TOP,
          "objectClass: device",
          "objectClass: pwdPolicy",
          "pwdAttribute: userPassword",
          "pwdMaxAge: 864000",
          "pwdMustChange: TRUE");
      for (String uid : List.of("ann", "bob")) {
        root.add(
            "dn: uid=" + uid + "," + TOP,
            "objectClass: inetOrgPerson",
            "cn: " + uid,
            "sn: A",
            "userPassword: secret");
      }
    }
  }

  @Test
  void shouldShowChangeAndListAccounts() throws Exception {
    Path password = Files.writeString(folder.resolve("password"), "geheim\n");
    try (ServerProcess server =
        ServerProcess.start(
            folder,
            """
            passwordPolicy.default = "cn=policy,%s"
            management { jmx = "127.0.0.1:0", jmxAdmin { user = chief, password = geheim } }
            """
                .formatted(TOP))) {
      fill(server);
      assertThat(out("show", ANN))
          .contains("account          " + ANN, "policy           cn=policy," + TOP)
          .contains("state            usable\n", "expires          20");
      assertThat(out("lock", ANN, BOB))
          .isEqualTo(
              ANN + ": locked by an administrator\n" + BOB + ": locked by an administrator\n");
      assertThat(out("list", "locked")).isEqualTo(ANN + "\n" + BOB + "\n");
      assertThat(out("list", "locked", "--limit", "1")).isEqualTo(ANN + "\n");
      assertThat(commands.err()).contains("there are more");
      assertThat(out("unlock", ANN)).isEqualTo(ANN + ": usable\n");
      server.client(ANN, "secret").close();
      assertThat(out("reset", ANN)).isEqualTo(ANN + ": usable, but the password must be changed\n");
      // The same with an index.
      assertThat(out("list", "reset")).isEqualTo(ANN + "\n");
      commands.shouldSucceed(folder.resolve("test.conf"), "index", "add", "pwdReset:eq");
      assertThat(out("list", "reset")).isEqualTo(ANN + "\n");
      commands.shouldSucceed(folder.resolve("test.conf"), "explain", "(pwdReset=TRUE)");
      assertThat(commands.out()).contains("pwdreset:eq");
      assertThat(out("expire", ANN))
          .isEqualTo(ANN + ": usable, but the password must be changed\n");
      assertThat(new JSONObject(out("list", "expired", "--json")).getFieldAsArray("names"))
          .hasSize(1);
      assertThat(out("list", "expiring", "--days", "10")).isEqualTo(BOB + "\n");
      JSONObject shown = new JSONObject(out("show", BOB, "--json"));
      assertThat(shown.getFieldAsArray("accounts")).hasSize(1);
      unlockFromAfar(server, password);
      shouldFail();
    }
    assertThat(Files.readString(folder.resolve("logs/security.log")))
        .contains(
            " account-administered via=process action=lock user=\""
                + System.getProperty("user.name")
                + "\" entry=\""
                + ANN
                + "\"\n")
        .contains(
            " account-administered via=jmx action=unlock user=\"chief\" entry=\"" + BOB + "\"\n");
    assertThat(account("show", ANN)).isEqualTo(ExitCode.NOT_RUNNING);
  }

  private void unlockFromAfar(ServerProcess server, Path password) throws Exception {
    String port = server.jmxUrl().toString().replaceFirst(".*//([^/]+)/jmxrmi", "$1");
    out("unlock", BOB, "--jmx=" + port, "--no-tls", "--user=chief", "--password-file=" + password);
    assertThat(
            account("unlock", BOB, "--jmx=" + port, "--user=chief", "--password-file=" + password))
        .isEqualTo(ExitCode.FAILED);
    assertThat(commands.err())
        .contains("nyala: cannot connect to the JMX port " + port + ": TLS: ")
        .endsWith("; give --no-tls if management.jmxTls is not set there\n");
  }

  private void shouldFail() {
    assertThat(account("lock", "uid=nobody," + TOP, ANN)).isEqualTo(ExitCode.FAILED);
    assertThat(commands.err()).isEqualTo("nyala: uid=nobody," + TOP + ": there is no such entry\n");
    assertThat(commands.out()).isEqualTo(ANN + ": locked by an administrator\n");
    assertThat(account("show", "nonsense")).isEqualTo(ExitCode.USAGE);
    assertThat(account("list", "lost")).isEqualTo(ExitCode.USAGE);
    assertThat(account("list", "locked", "--days=3")).isEqualTo(ExitCode.USAGE);
    assertThat(account("list", "locked", "idle")).isEqualTo(ExitCode.USAGE);
    assertThat(account("list", "idle", "--limit=0")).isEqualTo(ExitCode.USAGE);
    assertThat(account("show", ANN, "--limit=1")).isEqualTo(ExitCode.USAGE);
    assertThat(account("show")).isEqualTo(ExitCode.USAGE);
  }

  private static Account account(String lock, String until, boolean isExpired, int graceLeft) {
    boolean isUsable = lock.equals("none") && (!isExpired || graceLeft > 0);
    return new Account(
        ANN, "", isUsable, lock, until, 2, "", "", isExpired, 1, graceLeft, false, "");
  }

  @Test
  void shouldSayInWordsWhatStateAccountsAreIn() {
    AccountReport report =
        new AccountReport(
            List.of(
                account("wrong-passwords", "2026-01-31T12:00:00Z", false, 0),
                account("idle", "", false, 0),
                account("none", "", true, 2),
                account("none", "", true, 0)));
    assertThat(report.states())
        .containsExactly(
            ANN + ": locked by wrong passwords until 2026-01-31T12:00:00Z",
            ANN + ": locked because it was not used for too long",
            ANN + ": usable, the password has expired",
            ANN + ": the password has expired");
    assertThat(report.lines())
        .startsWith(
            "account          " + ANN,
            "policy           none",
            "state            locked by wrong passwords until 2026-01-31T12:00:00Z",
            "wrong passwords  2 (locked until 2026-01-31T12:00:00Z)",
            "password set     not known",
            "expires          never",
            "must change      no",
            "last login       not known",
            "")
        .contains("grace logins     1 used, 2 left");
  }
}
