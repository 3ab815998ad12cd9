package org.nyala.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.util.json.JSONObject;
import com.unboundid.util.json.JSONString;
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
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tarball on a machine that has nothing: no Java, no environment, no network but loopback. */
class TarballIT {
  private static final Pattern READY =
      Pattern.compile("nyala ready on (ldap://127\\.0\\.0\\.1:\\d+)\n");

  private static final Pattern JMX = Pattern.compile("JMX: (service:jmx:\\S+/jmxrmi)");

  /** A link of Markdown to another file, without what comes after #. */
  private static final Pattern LINK = Pattern.compile("\\]\\((?![a-z]+:)([^)#]+)[^)]*\\)");

  /** A link of HTML to another file or place. */
  private static final Pattern HTML_LINK =
      Pattern.compile("href=\"(?![a-z]+:)([^\"#]*)#?([^\"]*)\"");

  /** All pages as one. */
  private static final Path SITE = Path.of("target/site/index.html");

  private static final int LOAD_CLIENTS = 16;

  @TempDir static Path folder;

  private static Path home;

  @BeforeAll
  static void unpackAndImport() throws Exception {
    Path tarball = Path.of(System.getProperty("nyala.tarball"));
    assertThat(tarball).isRegularFile();
    // A blank in the path, because somebody's has one.
    Path place = Files.createDirectory(folder.resolve("some place"));
    Processes.run(
            folder,
            Map.of("PATH", "/usr/bin:/bin"),
            List.of("/usr/bin/tar", "-xzf", tarball.toString(), "-C", place.toString()))
        .shouldSucceed();
    try (var names = Files.list(place)) {
      home = names.findFirst().orElseThrow();
    }
    Path ldif = folder.resolve("sample.ldif");
    nyala("sample", "--entries", "500", "-o", ldif.toString()).shouldSucceed();
    nyala("import", ldif.toString()).shouldSucceed();
  }

  @AfterAll
  static void stopWhatRuns() throws Exception {
    nyala("stop");
  }

  private static Processes.Result nyala(String... arguments) throws Exception {
    return Processes.run(folder, Map.of(), command(arguments));
  }

  private static List<String> command(String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(home.resolve("bin/nyala").toString());
    command.addAll(List.of(arguments));
    return command;
  }

  private static String readyUrl(String output) {
    Matcher ready = READY.matcher(output);
    assertThat(ready.find()).as(output).isTrue();
    return ready.group(1);
  }

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
          "CONTRIBUTING.md"
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
          targets.add(file.resolveSibling(link.group(1)).normalize());
        }
      }
    }
    assertThat(targets)
        .contains(home.resolve("docs/manual.html"), home.resolve("docs/decisions"))
        .allSatisfy(target -> assertThat(target).exists());
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
        Path target =
            link.group(1).isEmpty() ? page.getKey() : page.getKey().resolveSibling(link.group(1));
        assertThat(target).as(link.group() + " in " + page.getKey()).exists();
        if (!link.group(2).isEmpty()) {
          assertThat(Files.readString(target)).contains("id=\"" + link.group(2) + "\"");
        }
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
    // Nobody types here, and there is nothing to be read.
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
  void shouldReportTheContentionOfARunningServer() throws Exception {
    assertThat(nyala("contention").exitCode()).isEqualTo(ExitCode.NOT_RUNNING);
    assertThat(nyala("contention", "--seconds", "0").exitCode()).isEqualTo(ExitCode.USAGE);
    String url = readyUrl(nyala("start", "--listen", "ldap://127.0.0.1:0").shouldSucceed().out());
    nyala("dispatch", "set", "single-queue").shouldSucceed();
    Process load = load(url);
    try {
      JSONObject report = contention();
      while (report.getFieldAsLong("operations") == 0) {
        // The load has not begun yet.
        report = contention();
      }
      assertThat(report.getFieldAsArray("strategies"))
          .containsExactly(new JSONString("single-queue"));
      long operations = report.getFieldAsLong("operations");
      assertThat(operations).isPositive();
      JSONObject lock = row(report, "locks", "shared queue: queue lock");
      // One of each client may have been under way when it began.
      assertThat(lock.getFieldAsLong("count")).isGreaterThanOrEqualTo(operations - LOAD_CLIENTS);
      assertThat(lock.getFieldAsLong("contended")).isBetween(0L, lock.getFieldAsLong("count"));
      JSONObject queue = row(report, "waits", "shared queue: queue");
      assertThat(queue.getFieldAsLong("waits")).isPositive();
      assertThat(queue.getFieldAsBigDecimal("totalMillis")).isPositive();
      eventually(
          "what was waited for",
          () ->
              nyala("contention", "--seconds", "1")
                  .shouldSucceed()
                  .out()
                  .matches(
                      "(?s)strategy    single-queue\n.*  shared queue: queue lock .*  shared queue: queue .*"));
    } finally {
      load.destroy();
      load.waitFor();
    }
    refuseASecondMeasurement();
    nyala("stop").shouldSucceed();
  }

  private static JSONObject contention() throws Exception {
    return new JSONObject(nyala("contention", "--seconds", "2", "--json").shouldSucceed().out());
  }

  @Test
  void shouldRecordARunningServer() throws Exception {
    assertThat(nyala("record").exitCode()).isEqualTo(ExitCode.NOT_RUNNING);
    assertThat(nyala("record", "--seconds", "0").exitCode()).isEqualTo(ExitCode.USAGE);
    String url = readyUrl(nyala("start", "--listen", "ldap://127.0.0.1:0").shouldSucceed().out());
    Process load = load(url);
    Path file = folder.resolve("recorded.jfr");
    try {
      String said = recorded(file);
      while (said.startsWith("recorded 2 s: 0 operations")) {
        // The load has not begun yet.
        Files.delete(file);
        said = recorded(file);
      }
      assertThat(said).matches("(?s)recorded 2 s: [1-9]\\d* operations longer than 0 ms, .*");
    } finally {
      load.destroy();
      load.waitFor();
    }
    nyala("stop").shouldSucceed();
    assertThat(RecordingFile.readAllEvents(file))
        .extracting(event -> event.getEventType().getName())
        .contains("org.nyala.Operation", "jdk.CPULoad");
  }

  private static String recorded(Path file) throws Exception {
    return nyala("record", "--seconds", "2", "--longer-than", "0", "-o", file.toString())
        .shouldSucceed()
        .out();
  }

  private static Process load(String url) throws IOException {
    List<String> command =
        new ArrayList<>(List.of(home.resolve("bin/nyala-loadtest").toString(), "search"));
    command.addAll(List.of("--url", url, "--users", "500"));
    command.addAll(List.of("--connections", Integer.toString(LOAD_CLIENTS)));
    command.addAll(List.of("--bind-dn", "uid=user.7,ou=People,dc=example,dc=com"));
    command.addAll(List.of("--password", "password.7", "--seconds", "900"));
    return Processes.start(
        folder, Map.of(), command, folder.resolve("load.out"), folder.resolve("load.err"));
  }

  private static JSONObject row(JSONObject report, String table, String site) {
    return report.getFieldAsArray(table).stream()
        .map(JSONObject.class::cast)
        .filter(row -> site.equals(row.getFieldAsString("site")))
        .findFirst()
        .orElseThrow(() -> new AssertionError(site + " is not in " + report));
  }

  private static void refuseASecondMeasurement() throws Exception {
    Process first = longMeasurement();
    try {
      Processes.Result second = nyala("contention", "--seconds", "1");
      while (second.exitCode() == ExitCode.OK) {
        // It came before the first one, which may have been refused.
        if (!first.isAlive()) {
          first = longMeasurement();
        }
        second = nyala("contention", "--seconds", "1");
      }
      assertThat(second.exitCode()).isEqualTo(ExitCode.FAILED);
      assertThat(second.err()).contains("measures the contention").hasLineCount(1);
    } finally {
      first.destroy();
      first.waitFor();
    }
  }

  private static Process longMeasurement() throws IOException {
    return Processes.start(
        folder,
        Map.of(),
        command("contention", "--seconds", "600"),
        folder.resolve("first.out"),
        folder.resolve("first.err"));
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

  private static String awaitReady(Process server, Path out, Path err)
      throws IOException, InterruptedException {
    while (!READY.matcher(Files.readString(out)).find()) {
      if (server.waitFor(20, java.util.concurrent.TimeUnit.MILLISECONDS)) {
        throw new AssertionError(Files.readString(err));
      }
    }
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

  @Test
  void shouldStartTheLoadTester() throws Exception {
    Processes.Result help =
        Processes.run(
            folder, Map.of(), List.of(home.resolve("bin/nyala-loadtest").toString(), "--help"));
    assertThat(help.shouldSucceed().out()).contains("search");
  }

  @Test
  void shouldRunBenchmarksThatComeWithIt() throws Exception {
    Path report = folder.resolve("benchmarks");
    Processes.Result benchmarks =
        Processes.run(
            folder,
            Map.of("NYALA_JAVA_OPTS", "-Djmh.ignoreLock=true"),
            List.of(
                home.resolve("bin/nyala-loadtest").toString(),
                "jmh",
                "--short",
                "--quiet",
                "--report",
                report.toString(),
                "LazinessBenchmark"));
    benchmarks.shouldSucceed();
    assertThat(Files.readString(report.resolve("results.json"))).contains("LazinessBenchmark");
  }
}
