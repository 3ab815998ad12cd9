package org.nyala.tarball;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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

/** Checks the contents of the tarball, and its commands against the manual. */
class TarballIT extends TarballTestCase {
  private static final Pattern JMX = Pattern.compile("JMX: (service:jmx:\\S+/jmxrmi)");

  /** A link of Markdown to another file or place. */
  private static final Pattern LINK = Pattern.compile("\\]\\((?![a-z]+:)([^)#]*)#?([^)]*)\\)");

  /** A link of HTML to another file or place. */
  private static final Pattern HTML_LINK =
      Pattern.compile("href=\"(?![a-z]+:)([^\"#]*)#?([^\"]*)\"");

  /** The manual as one page. */
  private static final Path SITE = Path.of("target/site/index.html");

  private static Processes.Result search(String url, String... more) throws Exception {
    List<String> command = new ArrayList<>(List.of("ldapsearch", "-x", "-LLL", "-H", url));
    command.addAll(List.of(more));
    return Processes.ldapClient(folder, command.toArray(String[]::new));
  }

  @Test
  void shouldHaveTheLayoutThatTheManualNames() {
    for (String file :
        new String[] {
          "bin/nyala",
          "bin/nyala-loadtest",
          "conf/nyala.conf",
          "conf/logging.properties",
          "conf/schema/core.schema",
          "conf/systemd/nyala.service",
          "conf/container/Containerfile",
          "lib/nyala.jar",
          "lib/nyala.aot",
          "lib/native/liblmdb.so",
          "runtime/bin/java",
          "docs",
          "LICENSE",
          "README.md",
          "CHANGELOG.md",
          "CONTRIBUTING.md",
          "ARCHITECTURE.md"
        }) {
      assertThat(home.resolve(file)).exists();
    }
  }

  @Test
  void shouldLinkOnlyToWhatIsThere() throws Exception {
    List<Path> targets = new ArrayList<>();
    try (var files = Files.walk(home)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".md")).toList()) {
        Matcher link = LINK.matcher(Files.readString(file));
        while (link.find()) {
          targets.add(Anchors.follow(file, link.group(1), link.group(2)));
        }
      }
    }
    assertThat(targets).contains(home.resolve("docs/manual.html"), home.resolve("docs/decisions"));
  }

  @Test
  void shouldHaveAManualWhoseEveryLinkLeadsSomewhere() throws Exception {
    Map<Path, String> pages = new TreeMap<>();
    try (var files = Files.list(home.resolve("docs"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".html")).toList()) {
        pages.put(file, Files.readString(file));
      }
    }
    assertThat(pages)
        .containsKeys(home.resolve("docs/index.html"), home.resolve("docs/reference.html"));
    pages.put(SITE, Files.readString(SITE));
    int links = 0;
    for (Map.Entry<Path, String> page : pages.entrySet()) {
      assertThat(page.getValue()).doesNotContain("<link rel=", "<script", "src=\"http");
      Matcher link = HTML_LINK.matcher(page.getValue());
      while (link.find()) {
        Anchors.follow(page.getKey(), link.group(1), link.group(2));
        links++;
      }
    }
    assertThat(links).isGreaterThan(100);
  }

  @Test
  void shouldVerifyWhatItImported() throws Exception {
    nyala("verify").shouldSucceed();
  }

  @Test
  void shouldExportWhatItImported() throws Exception {
    String ldif = nyala("export").shouldSucceed().out();
    assertThat(ldif.lines().filter(line -> line.startsWith("dn:"))).hasSize(513);
    assertThat(ldif).contains("userPassword: {SSHA}").contains("entryUUID: ");
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

  @Test
  void shouldSayInOneLineWhatIsWrong() throws Exception {
    Path conf = Files.writeString(folder.resolve("bad.conf"), "nyala { dta = x }\n");
    Processes.Result result = nyala("serve", "--config", conf.toString());
    assertThat(result.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(result.err())
        .startsWith("nyala: " + conf + ":1: nyala.dta: there is no such key")
        .hasLineCount(1);

    result = nyala("serve", "--data", folder.resolve("nothing").toString());
    assertThat(result.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(result.err()).startsWith("nyala: there is no directory data in ").hasLineCount(1);

    result = nyala("frobnicate");
    assertThat(result.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(result.err()).contains("Try 'nyala --help'.").doesNotContain("\tat ");
  }

  @Test
  void shouldStartFromALink() throws Exception {
    Path link = Files.createSymbolicLink(folder.resolve("nyala-link"), home.resolve("bin/nyala"));
    Processes.Result version =
        Processes.run(folder, Map.of(), List.of(link.toString(), "--version")).shouldSucceed();
    assertThat(version.out()).matches("nyala \\d+\\.\\d+\\.\\d+.*\n");
  }

  @Test
  void shouldExplainEveryCommand() throws Exception {
    assertThat(nyala("--help").shouldSucceed().out())
        .contains("serve", "start", "stop", "import", "Exit codes:");
    assertThat(nyala("serve", "--help").shouldSucceed().out()).contains("--listen", "--sample");
  }
}
