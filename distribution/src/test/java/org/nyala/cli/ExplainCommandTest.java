package org.nyala.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.util.json.JSONObject;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code nyala explain}, with and without a server. */
@Timeout(300)
class ExplainCommandTest {
  private static final String PEOPLE = "ou=People,dc=example,dc=com";
  private static final String[] BY_ROOM = {"explain", "--base", PEOPLE, "(roomNumber=no such)"};

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private Path configuration;

  private int nyala(String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    List<String> all = new ArrayList<>(List.of(arguments));
    if (!arguments[0].equals("sample")) {
      all.add("--config=" + configuration);
    }
    return Main.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(all.toArray(String[]::new));
  }

  private void shouldSucceed(String... arguments) {
    assertThat(nyala(arguments)).as("%s%s", out, err).isEqualTo(ExitCode.OK);
  }

  @BeforeEach
  void load() throws Exception {
    configuration =
        Files.writeString(
            folder.resolve("test.conf"),
            """
            nyala {
              listeners = ["ldap://127.0.0.1:0"]
              data = "%s"
              root { dn = "cn=admin,dc=example,dc=com", password = admin }
            }
            """
                .formatted(folder.resolve("data")));
    String ldif = folder.resolve("a.ldif").toString();
    shouldSucceed("sample", "--entries", "500", "-o", ldif);
    shouldSucceed("import", ldif);
  }

  private void checkThatTheAdviceHelps() throws Exception {
    shouldSucceed(
        "explain", "--base", PEOPLE, "(&(objectClass=inetOrgPerson)(|(title=Ac*)(uid=user.7)))");
    assertThat(out.toString())
        .startsWith("plan      ")
        .contains(
            "(objectClass=inetOrgPerson)",
            "objectclass:eq",
            "uid:eq",
            "(title=Ac*)",
            "bin/nyala index add title:sub");
    String advice =
        out.toString()
            .lines()
            .filter(line -> line.startsWith("bin/nyala "))
            .findFirst()
            .orElseThrow();
    int before = read();
    shouldSucceed(advice.substring("bin/nyala ".length()).split(" "));
    shouldSucceed(
        "explain", "--base", PEOPLE, "(&(objectClass=inetOrgPerson)(|(title=Ac*)(uid=user.7)))");
    assertThat(read()).isLessThan(before);
  }

  /** How many entries the explanation says that were read. */
  private int read() {
    String line = out.toString().lines().skip(1).findFirst().orElseThrow();
    assertThat(line).startsWith("entries   ").contains(" read, ");
    return Integer.parseInt(line.substring("entries   ".length(), line.indexOf(" read")));
  }

  @Test
  void shouldExplainWithoutAServer() throws Exception {
    checkThatTheAdviceHelps();
  }

  @Test
  void shouldExplainInARunningServer() throws Exception {
    try (ServingProcess server = ServingProcess.start(configuration)) {
      checkThatTheAdviceHelps();
      assertThat(nyala("explain", "(x")).isEqualTo(ExitCode.USAGE);
      assertThat(err.toString()).startsWith("nyala: '(x' is not a filter: ").hasLineCount(1);
      server.stop();
    }
  }

  @Test
  void shouldPrintJson() throws Exception {
    List<String> arguments = new ArrayList<>(List.of(BY_ROOM));
    arguments.add("--json");
    shouldSucceed(arguments.toArray(String[]::new));
    JSONObject found = new JSONObject(out.toString());
    assertThat(found.getFieldAsString("base")).isEqualTo(PEOPLE);
    assertThat(found.getFieldAsLong("storeEntries")).isEqualTo(513);
    assertThat(found.getFieldAsLong("results")).isZero();
    assertThat(found.getFieldAsBoolean("complete")).isTrue();
    assertThat(found.getFieldAsArray("stages")).hasSize(4);
    JSONObject term = (JSONObject) found.getFieldAsArray("terms").getFirst();
    assertThat(term.getFieldAsString("filter")).isEqualTo("(roomNumber=no such)");
    assertThat(term.getFieldAsLong("depth")).isZero();
  }

  @Test
  void shouldRefuseWhatCannotBeExplained() {
    assertThat(nyala("explain", "(x")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).startsWith("nyala: '(x' is not a filter: ").hasLineCount(1);
    assertThat(nyala("explain", "--base", "ou=none,dc=example,dc=com", "(uid=*)"))
        .isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).isEqualTo("nyala: there is no entry ou=none,dc=example,dc=com\n");
    assertThat(nyala("explain", "--base", "none", "(uid=*)")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala("explain", "--scope", "all", "(uid=*)")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("base, one, sub or children");
    assertThat(nyala("explain", "--time-limit", "0", "(uid=*)")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala("explain")).isEqualTo(ExitCode.USAGE);
  }
}
