package org.nyala.tarball;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.util.json.JSONObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.Processes;

/**
 * Tests the tarball as a service: a read-only installation, other paths, another user, exit codes.
 */
class ServiceIT {
  private static final boolean IS_ROOT = "root".equals(System.getProperty("user.name"));
  private static final String NOBODY = "65534";
  private static final String JAVA_OPTIONS = "NYALA_JAVA_OPTS";

  /** A server lives for seconds, which the second compiler does not earn back. */
  private static final String OF_SERVERS = "-XX:TieredStopAtLevel=1";

  @TempDir Path folder;

  private Path home;
  private final Map<String, String> environment = new HashMap<>();
  private List<String> prefix = List.of();

  @BeforeEach
  void unpack() throws Exception {
    home = Tarball.unpack(folder.resolve("opt"));
    environment.put("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    environment.put(JAVA_OPTIONS, OF_SERVERS);
  }

  private Processes.Result nyala(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(prefix);
    command.add(home.resolve("bin/nyala").toString());
    command.addAll(List.of(arguments));
    return Processes.run(folder, environment, command);
  }

  private int exitCode(String... arguments) throws Exception {
    Processes.Result result = nyala(arguments);
    assertThat(result.err()).doesNotContain("\tat ");
    return result.exitCode();
  }

  /** Returns the status of a server that answers, as it does unless the machine stands still. */
  private JSONObject status() throws Exception {
    List<String> said = new ArrayList<>();
    eventually(
        "it answers",
        () -> {
          Processes.Result result = nyala("status", "--json");
          said.add(result.out());
          return result.exitCode() == ExitCode.OK;
        });
    return new JSONObject(said.getLast());
  }

  private static void run(String... command) throws Exception {
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
  }

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private Set<String> installed() throws IOException {
    Set<String> files = new TreeSet<>();
    try (var all = Files.walk(home)) {
      for (Path each : all.toList()) {
        files.add(
            home.relativize(each)
                + " "
                + Files.getLastModifiedTime(each, LinkOption.NOFOLLOW_LINKS)
                + " "
                + Files.size(each));
      }
    }
    return files;
  }

  /**
   * Installs with Debian's layout below the folder; with a user of its own if the test runs as
   * root.
   */
  private Path installAsService() throws Exception {
    if (IS_ROOT) {
      // The other user needs access.
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    Path etc = Files.createDirectories(folder.resolve("etc/nyala"));
    String shipped = Files.readString(home.resolve("conf/systemd/nyala.conf"));
    String text =
        shipped
            .replace("/var/", folder + "/var/")
            .replace("\"/run/", "\"" + folder + "/run/")
            .replace("nyala {", "nyala {\n  listeners = [\"ldap://127.0.0.1:0\"]")
            .replace("access.file", "access.format = stats, access.file");
    Path conf = Files.writeString(etc.resolve("nyala.conf"), text);
    for (String name : List.of("var/lib/nyala", "var/log/nyala", "run/nyala")) {
      Files.createDirectories(folder.resolve(name));
    }
    environment.put("NYALA_CONFIG", conf.toString());
    if (IS_ROOT) {
      for (String name : List.of("var/lib/nyala", "var/log/nyala", "run/nyala")) {
        run("chown", "-R", NOBODY + ":" + NOBODY, folder.resolve(name).toString());
      }
      prefix = List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups", "--");
    } else {
      run("chmod", "-R", "a-w", home.toString());
    }
    return conf;
  }

  @Test
  void shouldServeFromAnInstallationThatItCannotWriteTo() throws Exception {
    Path conf = installAsService();
    Set<String> before = installed();
    Path ldif = folder.resolve("var/lib/nyala/sample.ldif");
    nyala("sample", "--entries", "20", "-o", ldif.toString()).shouldSucceed();
    nyala("import", ldif.toString()).shouldSucceed();
    assertThat(nyala("config", "show", "--changed").shouldSucceed().out())
        .contains("nyala.run = \"" + folder + "/run/nyala\"  # " + conf);
    assertThat(nyala("start").shouldSucceed().out()).startsWith("nyala ready on ldap://127.0.0.1:");
    assertThat(nyala("start").exitCode()).isEqualTo(ExitCode.ALREADY_RUNNING);
    assertThat(status().getFieldAsBoolean("answering")).isTrue();
    assertThat(nyala("reload").shouldSucceed().out()).isEqualTo("nothing has changed\n");
    assertThat(nyala("index", "add", "title").shouldSucceed().out()).startsWith("done: ");
    nyala("stop").shouldSucceed();
    nyala("verify").shouldSucceed();
    assertThat(folder.resolve("run/nyala/nyala.log")).content().contains("nyala ready on ");
    assertThat(folder.resolve("var/log/nyala/access.log")).exists();
    assertThat(folder.resolve("var/lib/nyala/run")).doesNotExist();
    assertThat(installed()).isEqualTo(before);
  }

  private static String mode(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @Test
  void shouldKeepToItselfWhatItWritesInTheBackground() throws Exception {
    prefix = List.of("/bin/sh", "-c", "umask 0; exec \"$0\" \"$@\"");
    Path conf = file("nyala.conf", configuration("adaptive"));
    environment.put("NYALA_CONFIG", conf.toString());
    Path data = folder.resolve("data");
    Path log = data.resolve("run/nyala.log");
    nyala("start").shouldSucceed();
    try {
      assertThat(mode(log)).isEqualTo("rw-------");
      assertThat(mode(data)).isEqualTo("rwx------");
      assertThat(mode(data.resolve("run"))).isEqualTo("rwx------");
    } finally {
      nyala("stop").shouldSucceed();
    }
    // The group's permissions are the administrator's choice.
    Files.setPosixFilePermissions(log, PosixFilePermissions.fromString("rw-r--rw-"));
    nyala("start").shouldSucceed();
    try {
      assertThat(mode(log)).isEqualTo("rw-r-----");
    } finally {
      nyala("stop").shouldSucceed();
    }
  }

  /** Small images have no setsid. */
  @Test
  void shouldStartInTheBackgroundWithoutSetsid() throws Exception {
    Path programs = Files.createDirectory(folder.resolve("programs"));
    for (String name : List.of("grep", "readlink", "wc")) {
      Processes.lend(name, programs);
    }
    environment.put("PATH", programs.toString());
    Path conf = file("nyala.conf", configuration("adaptive"));
    environment.put("NYALA_CONFIG", conf.toString());
    nyala("start").shouldSucceed();
    try {
      Path log = folder.resolve("data/run/nyala.log");
      String pid = Long.toString(status().getFieldAsLong("pid"));
      // Of a terminal's two signals one reloads the configuration, the other does nothing.
      run("kill", "-INT", pid);
      file("nyala.conf", configuration("striped"));
      run("kill", "-HUP", pid);
      eventually(
          "the other strategy",
          () -> {
            assertThat(nyala("status").exitCode()).isNotEqualTo(ExitCode.NOT_RUNNING);
            return Files.readString(log).contains("took effect: nyala.dispatch.strategy");
          });
    } finally {
      nyala("stop").shouldSucceed();
    }
  }

  /** The log is the standard output of the process, which logrotate truncates by copytruncate. */
  @Test
  void shouldStampEveryLineOfALogAndGoOnWhenItIsTruncated() throws Exception {
    Path conf = file("nyala.conf", configuration("adaptive"));
    environment.put("NYALA_CONFIG", conf.toString());
    nyala("start").shouldSucceed();
    Path log = folder.resolve("data/run/nyala.log");
    try {
      assertThat(Files.readString(log)).contains("nyala ready on ");
      shouldBeStamped(log);
      Files.write(log, new byte[0]);
      file("nyala.conf", configuration("striped"));
      run("kill", "-HUP", Long.toString(status().getFieldAsLong("pid")));
      eventually(
          "the other strategy",
          () -> Files.readString(log).contains("took effect: nyala.dispatch.strategy"));
      assertThat(Files.readString(log)).doesNotContain("nyala ready on ");
    } finally {
      nyala("stop").shouldSucceed();
    }
    shouldBeStamped(log);
  }

  private static void shouldBeStamped(Path log) throws IOException {
    assertThat(Files.readAllLines(log))
        .isNotEmpty()
        .allMatch(line -> line.matches("\\d{4}-\\d\\d-\\d\\dT[\\d:.]{12}[+-]\\d{4} [A-Z]+ .+"));
  }

  private String configuration(String strategy) {
    return """
        nyala {
          listeners = ["ldap://127.0.0.1:0"], data = "%s", suffixes = ["dc=example,dc=com"]
          dispatch.strategy = %s
        }
        """
        .formatted(folder.resolve("data"), strategy);
  }

  @Test
  void shouldEndWithEveryExitCodeThatTheManualNames() throws Exception {
    Path data = folder.resolve("data");
    Path conf =
        file(
            "nyala.conf",
            "nyala { listeners = [\"ldap://127.0.0.1:0\"], data = \"" + data + "\" }\n");
    environment.put("NYALA_CONFIG", conf.toString());
    assertThat(exitCode("verify")).isEqualTo(ExitCode.FAILED);
    for (String command : List.of("serve", "start")) {
      assertThat(exitCode(command)).as(command).isEqualTo(ExitCode.USAGE);
    }
    refusePortThatIsTaken();
    assertThat(exitCode("verify", "--no-such-option")).isEqualTo(ExitCode.USAGE);
    for (String command : List.of("stop", "status", "reload", "contention", "record")) {
      assertThat(exitCode(command)).as(command).isEqualTo(ExitCode.NOT_RUNNING);
    }
    assertThat(exitCode("dispatch", "show")).isEqualTo(ExitCode.NOT_RUNNING);
    runOutOfMemory();
    Path ldif =
        file(
            "people.ldif",
            """
            dn: dc=example,dc=com
            objectClass: domain
            dc: example

            dn: cn=ada,dc=example,dc=com
            objectClass: person
            cn: ada
            sn: Zweifelhaft

            dn: cn=bad,dc=example,dc=com
            objectClass: noSuchClass
            cn: bad
            """);
    assertThat(exitCode("import", ldif.toString())).isEqualTo(ExitCode.REJECTED);
    assertThat(exitCode("verify")).isEqualTo(ExitCode.OK);
    assertThat(exitCode("start")).isEqualTo(ExitCode.OK);
    for (String command : List.of("start", "serve")) {
      assertThat(exitCode(command)).as(command).isEqualTo(ExitCode.ALREADY_RUNNING);
    }
    assertThat(exitCode("import", "--replace", ldif.toString()))
        .isEqualTo(ExitCode.ALREADY_RUNNING);
    standStill();
    assertThat(exitCode("stop")).isEqualTo(ExitCode.OK);
    refuseDamagedData(data);
    refuseDataThatCannotBeWritten(data);
  }

  /** Checks the exit code with which systemd's unit retries. */
  private void refusePortThatIsTaken() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String url = "ldap://127.0.0.1:" + taken.getLocalPort();
      Processes.Result result = nyala("serve", "--sample", "1", "--listen", url);
      assertThat(result.exitCode()).as(result.toString()).isEqualTo(ExitCode.FAILED);
      assertThat(result.err()).contains("Address already in use");
    }
  }

  /** Starts with a heap that is too small even for the schema. */
  private void runOutOfMemory() throws Exception {
    environment.put(JAVA_OPTIONS, "-Xms4m -Xmx4m -XX:AOTMode=off");
    Processes.Result result = nyala("serve", "--sample", "1");
    environment.put(JAVA_OPTIONS, OF_SERVERS);
    assertThat(result.exitCode()).as(result.toString()).isEqualTo(ExitCode.NOT_RUNNING);
    assertThat(result.out() + result.err()).contains("java.lang.OutOfMemoryError");
  }

  private void standStill() throws Exception {
    String pid = Long.toString(status().getFieldAsLong("pid"));
    run("kill", "-STOP", pid);
    try {
      int code = ExitCode.OK;
      while (code == ExitCode.OK) {
        code = exitCode("status", "--patience", "1");
      }
      assertThat(code).isEqualTo(ExitCode.NOT_ANSWERING);
    } finally {
      run("kill", "-CONT", pid);
    }
  }

  /** Damages the data: a surname that no index has. */
  private void refuseDamagedData(Path data) throws Exception {
    Path backup = folder.resolve("backup");
    assertThat(exitCode("backup", backup.toString())).isEqualTo(ExitCode.OK);
    damage(data.resolve("data.mdb"));
    assertThat(exitCode("verify")).isEqualTo(ExitCode.UNSOUND);
    damage(backup.resolve("data.mdb"));
    assertThat(exitCode("restore", backup.toString())).isEqualTo(ExitCode.UNSOUND);
  }

  private static void damage(Path file) throws IOException {
    String bytes = Files.readString(file, ISO_8859_1);
    assertThat(bytes).contains("Zweifelhaft");
    Files.writeString(file, bytes.replace("Zweifelhaft", "Zweifellost"), ISO_8859_1);
  }

  private void refuseDataThatCannotBeWritten(Path data) throws Exception {
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("r-x------"));
    if (IS_ROOT) {
      prefix = List.of("setpriv", "--inh-caps=-all", "--bounding-set=-all", "--");
    }
    for (String command : List.of("serve", "start", "restart")) {
      Processes.Result result = nyala(command);
      assertThat(result.exitCode()).as(command + ": " + result).isEqualTo(ExitCode.UNWRITABLE);
      assertThat(result.err()).startsWith("nyala: cannot write to " + data).hasLineCount(1);
    }
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwx------"));
  }
}
