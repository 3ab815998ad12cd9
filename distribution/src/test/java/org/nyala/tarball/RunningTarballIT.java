package org.nyala.tarball;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXServiceURL;
import org.junit.jupiter.api.Test;
import org.nyala.error.ExitCode;
import org.nyala.process.Processes;
import org.nyala.process.ServerProcess;

/** Starts, manages, backs up and stops the server of the tarball. */
class RunningTarballIT extends TarballTestCase {
  private static final Pattern JMX = Pattern.compile("JMX: (service:jmx:\\S+/jmxrmi)");

  private static Processes.Result search(String url, String... more) throws Exception {
    List<String> command = new ArrayList<>(List.of("ldapsearch", "-x", "-LLL", "-H", url));
    command.addAll(List.of(more));
    return Processes.ldapClient(folder, command.toArray(String[]::new));
  }

  @Test
  void shouldBackUpExplainAndRestore() throws Exception {
    String backup = folder.resolve("a backup").toString();
    nyala("start", "--listen", "ldap://127.0.0.1:0").shouldSucceed();
    assertThat(nyala("backup", backup).shouldSucceed().out()).startsWith("backed up 513 entries");
    assertThat(nyala("explain", "(uid=user.7)").shouldSucceed().out())
        .contains("uid:eq", "1 read, 1 match");
    assertThat(nyala("restore", backup).exitCode()).isEqualTo(ExitCode.ALREADY_RUNNING);
    nyala("stop").shouldSucceed();
    assertThat(nyala("restore", backup).shouldSucceed().out())
        .startsWith("restored 513 entries")
        .contains("data.before-restore-");
    nyala("verify").shouldSucceed();
    // No password is typed here, and there is nothing to read.
    assertThat(nyala("password").err()).isEqualTo("nyala: the password is empty\n");
    assertThat(nyala("completion").shouldSucceed().out()).contains("backup", "restore");
  }

  @Test
  void shouldChangeTheStrategyOfARunningServer() throws Exception {
    assertThat(nyala("dispatch", "show").exitCode()).isEqualTo(ExitCode.NOT_RUNNING);
    nyala("start", "--listen", "ldap://127.0.0.1:0").shouldSucceed();
    assertThat(nyala("dispatch", "show").shouldSucceed().out())
        .startsWith("strategy    adaptive\n")
        .contains("run-to-completion");
    assertThat(nyala("dispatch", "set", "striped").shouldSucceed().out())
        .isEqualTo("dispatch strategy: striped, was adaptive\n");
    assertThat(nyala("dispatch", "show").shouldSucceed().out()).startsWith("strategy    striped\n");
    Processes.Result unknown = nyala("dispatch", "set", "nothing-like-it");
    assertThat(unknown.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(unknown.err()).contains("nothing-like-it", "adaptive").hasLineCount(1);
    assertThat(nyala("dispatch", "set").exitCode()).isEqualTo(ExitCode.USAGE);
    nyala("stop").shouldSucceed();
  }

  @Test
  void shouldBeManagedOverAPortAndReadItsConfigurationAgain() throws Exception {
    Path conf = folder.resolve("managed.conf");
    String text =
        """
        nyala {
          listeners = ["ldap://127.0.0.1:0"]
          management { jmx = "127.0.0.1:0", jmxAdmin { user = a, password = b } }
          dispatch.strategy = STRATEGY
        }
        """;
    Files.writeString(conf, text.replace("STRATEGY", "adaptive"));
    nyala("start", "--config", conf.toString()).shouldSucceed();
    Matcher url = JMX.matcher(Files.readString(home.resolve("data/run/nyala.log")));
    assertThat(url.find()).isTrue();
    Map<String, Object> login = Map.of(JMXConnector.CREDENTIALS, new String[] {"a", "b"});
    try (JMXConnector client = ServerProcess.connect(new JMXServiceURL(url.group(1)), login)) {
      MBeanServerConnection beans = client.getMBeanServerConnection();
      ObjectName dispatch = new ObjectName("org.nyala:type=Dispatch");
      assertThat(beans.getAttribute(dispatch, "Strategy")).isEqualTo("adaptive");
      Files.writeString(conf, text.replace("STRATEGY", "striped"));
      assertThat(nyala("reload", "--config", conf.toString()).shouldSucceed().out())
          .isEqualTo("took effect: nyala.dispatch.strategy = \"striped\" (was \"adaptive\")\n");
      assertThat(beans.getAttribute(dispatch, "Strategy")).isEqualTo("striped");
    }
    nyala("stop").shouldSucceed();
    assertThat(nyala("reload").exitCode()).isEqualTo(ExitCode.NOT_RUNNING);
  }

  @Test
  void shouldServeInTheBackgroundUntilStopped() throws Exception {
    assertThat(nyala("status").exitCode()).isEqualTo(ExitCode.NOT_RUNNING);
    String url = readyUrl(nyala("start", "--listen", "ldap://127.0.0.1:0").shouldSucceed().out());
    eventually(
        "it answers",
        () -> {
          Processes.Result status = nyala("status");
          return status.exitCode() == ExitCode.OK
              && status.out().contains("nyala is running, pid ")
              && status.out().contains(url);
        });
    assertThat(nyala("start").exitCode()).isEqualTo(ExitCode.ALREADY_RUNNING);
    assertThat(nyala("start").err()).startsWith("nyala: a server already runs on ").hasLineCount(1);

    Processes.Result person =
        search(
            url,
            "-D",
            "uid=user.7,ou=People,dc=example,dc=com",
            "-w",
            "password.7",
            "-b",
            "dc=example,dc=com",
            "(uid=user.42)",
            "mail");
    assertThat(person.shouldSucceed().out())
        .isEqualTo("dn: uid=user.42,ou=People,dc=example,dc=com\nmail: user.42@example.com\n\n");
    assertThat(nyala("export").shouldSucceed().out()).contains("dn: uid=user.499,");

    String again =
        readyUrl(nyala("restart", "--listen", "ldap://127.0.0.1:0").shouldSucceed().out());
    assertThat(search(again, "-s", "base", "-b", "").exitCode()).isZero();
    assertThat(nyala("stop").shouldSucceed().out()).isEqualTo("nyala stopped\n");
    assertThat(nyala("stop").exitCode()).isEqualTo(ExitCode.NOT_RUNNING);
    assertThat(nyala("status").out()).isEqualTo("nyala is not running\n");
    assertThat(home.resolve("data/run/nyala.log")).content().contains("nyala ready on " + url);
  }

  @Test
  void shouldServeASampleToAnybodyAndEndWellOnSigterm() throws Exception {
    Path temporary = Files.createDirectory(folder.resolve("tmp"));
    Path out = folder.resolve("serve.out");
    Path err = folder.resolve("serve.err");
    List<String> command = command("serve", "--sample", "50", "--listen", "ldap://127.0.0.1:0");
    Process server =
        Processes.start(
            folder, Map.of("NYALA_JAVA_OPTS", "-Djava.io.tmpdir=" + temporary), command, out, err);
    try {
      String url = awaitReady(server, out, err);
      String found =
          search(url, "-b", "dc=example,dc=com", "(objectClass=inetOrgPerson)", "1.1")
              .shouldSucceed()
              .out();
      assertThat(found.lines().filter(line -> line.startsWith("dn: uid="))).hasSize(50);
      server.destroy();
      assertThat(server.waitFor()).as(Files.readString(err)).isZero();
      assertThat(temporary).isEmptyDirectory();
      assertThat(err).isEmptyFile();
    } finally {
      server.destroyForcibly();
    }
  }

  private static String awaitReady(Process server, Path out, Path err) throws IOException {
    eventually(
        "it is ready",
        () -> {
          assertThat(server.isAlive()).as(Files.readString(err)).isTrue();
          return READY.matcher(Files.readString(out)).find();
        });
    return readyUrl(Files.readString(out));
  }
}
