package org.nyala.cli.running;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.util.json.JSONObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.ServerProcess;

/** Tests {@code nyala explain}, with and without a server. */
@Timeout(300)
class ExplainCommandTest {
  private static final String PEOPLE = "ou=People,dc=example,dc=com";
  private static final String[] BY_ROOM = {"explain", "--base", PEOPLE, "(roomNumber=no such)"};

  @TempDir Path folder;

  private final LocalCommands commands = new LocalCommands();
  private Path configuration;

  private int nyala(String... arguments) {
    return commands.run(configuration, arguments);
  }

  private void shouldSucceed(String... arguments) {
    commands.shouldSucceed(configuration, arguments);
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
    assertThat(commands.out())
        .startsWith("plan      ")
        .contains(
            "(objectClass=inetOrgPerson)",
            "objectclass:eq",
            "in vain: another part of the OR is not",
            "(title=Ac*)",
            "bin/nyala index add title:sub");
    String advice =
        commands
            .out()
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

  /** Returns the number of read entries in the explanation. */
  private int read() {
    String line = commands.out().lines().skip(1).findFirst().orElseThrow();
    assertThat(line).startsWith("entries   ").contains(" read, ");
    return Integer.parseInt(line.substring("entries   ".length(), line.indexOf(" read")));
  }

  @Test
  void shouldExplainWithoutAServer() throws Exception {
    checkThatTheAdviceHelps();
  }

  @Test
  void shouldExplainInARunningServer() throws Exception {
    try (ServerProcess _ = ServerProcess.serve(folder)) {
      checkThatTheAdviceHelps();
      shouldSucceed("index", "add", "title:pres", "roomNumber:pres");
      shouldSucceed("index", "list");
      assertThat(commands.out()).contains("title:sub,pres\n", "roomnumber:pres\n");
      assertThat(nyala("explain", "(x")).isEqualTo(ExitCode.USAGE);
      assertThat(commands.err()).startsWith("nyala: '(x' is not a filter: ").hasLineCount(1);
    }
  }

  @Test
  void shouldSayThatNoEntryHasAnAttributeThatIsDefined() {
    shouldSucceed("explain", "-b", PEOPLE, "(pager=1)");
    assertThat(commands.out()).contains("no entry has it").doesNotContain("no such attribute");
  }

  @Test
  void shouldNameAttributesThatTheSchemaDoesNotHave() {
    assertThat(nyala("explain", "(nosuch=7)")).isEqualTo(ExitCode.FAILED);
    assertThat(commands.out())
        .contains("The schema has no attribute nosuch.\n")
        .doesNotContain("No index would help much.");
    assertThat(commands.err()).startsWith("nyala: the schema has no attribute nosuch: ");
    String filter = "(|(uid=user.7)(!(&(NoSuch;x-a>=7)(other:caseIgnoreMatch:=1)(nosuch;x-a=*))))";
    assertThat(nyala("explain", "--json", filter)).isEqualTo(ExitCode.FAILED);
    assertThat(commands.out()).contains("\"unknownAttributes\":[\"NoSuch\",\"other\"]");
    shouldSucceed("explain", "--json", "(|(uid=user.7)(0.9.2342.19200300.100.1.1=a)(!(mail=*)))");
    assertThat(commands.out()).contains("\"unknownAttributes\":[]");
  }

  @Test
  void shouldPrintJson() throws Exception {
    List<String> arguments = new ArrayList<>(List.of(BY_ROOM));
    arguments.add("--json");
    shouldSucceed(arguments.toArray(String[]::new));
    JSONObject found = new JSONObject(commands.out());
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
    assertThat(commands.err()).startsWith("nyala: '(x' is not a filter: ").hasLineCount(1);
    assertThat(nyala("explain", "--base", "ou=none,dc=example,dc=com", "(uid=*)"))
        .isEqualTo(ExitCode.USAGE);
    assertThat(commands.err()).isEqualTo("nyala: there is no entry ou=none,dc=example,dc=com\n");
    assertThat(nyala("explain", "--base", "none", "(uid=*)")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala("explain", "--scope", "all", "(uid=*)")).isEqualTo(ExitCode.USAGE);
    assertThat(commands.err()).contains("base, one, sub or children");
    assertThat(nyala("explain", "--time-limit", "0", "(uid=*)")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala("explain")).isEqualTo(ExitCode.USAGE);
  }
}
