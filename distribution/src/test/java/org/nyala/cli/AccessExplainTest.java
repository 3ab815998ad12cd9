package org.nyala.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/** Explains rights to entries of people and groups. */
class AccessExplainTest {
  private static final String PEOPLE = ",ou=people,dc=example,dc=com";
  private static final String GROUPS = ",ou=groups,dc=example,dc=com";
  private static final Path SHIPPED = Path.of("src/packaging/conf/access.rules");
  private static final String DATA =
      """
      dn: dc=example,dc=com
      objectClass: domain
      dc: example

      dn: ou=people,dc=example,dc=com
      objectClass: organizationalUnit

      dn: ou=groups,dc=example,dc=com
      objectClass: organizationalUnit

      dn: uid=ann,ou=people,dc=example,dc=com
      objectClass: inetOrgPerson
      cn: Ann
      sn: A
      homePhone: 1
      mobile: 2
      userPassword: ann

      dn: uid=bob,ou=people,dc=example,dc=com
      objectClass: inetOrgPerson
      cn: Bob
      sn: B
      homePhone: 1

      dn: uid=eve,ou=people,dc=example,dc=com
      objectClass: inetOrgPerson
      cn: Eve
      sn: E

      dn: cn=it,ou=groups,dc=example,dc=com
      objectClass: groupOfNames
      owner: uid=bob,ou=people,dc=example,dc=com
      member: uid=ann,ou=people,dc=example,dc=com

      dn: cn=admins,ou=groups,dc=example,dc=com
      objectClass: groupOfNames
      member: cn=it,ou=groups,dc=example,dc=com
      """;

  @TempDir Path folder;

  private final LocalCommands nyala = new LocalCommands();
  private Path configuration;

  @BeforeEach
  void importData() throws IOException {
    Files.copy(SHIPPED, folder.resolve("access.rules"));
    configuration =
        ServerProcess.configure(
            folder, "access.rules = \"%s\"".formatted(folder.resolve("access.rules")));
    Path ldif = Files.writeString(folder.resolve("a.ldif"), DATA);
    nyala.shouldSucceed(configuration, "import", ldif.toString());
  }

  private List<String> explain(String... arguments) {
    List<String> all = new ArrayList<>(List.of("access", "explain"));
    all.addAll(List.of(arguments));
    nyala.shouldSucceed(configuration, all.toArray(String[]::new));
    return nyala.out().lines().toList();
  }

  private String aboutTarget(String user, String target, String attribute) {
    return explain("--as=" + user, "--target=" + target, "--attribute=" + attribute).getLast();
  }

  private static int line(String text) throws IOException {
    List<String> lines = Files.readAllLines(SHIPPED);
    return lines.indexOf(text) + 1;
  }

  @Test
  void shouldNameTheClauseOfEachAttribute() throws IOException {
    int rest = line("to below \"ou=people,dc=example,dc=com\"");
    List<String> lines =
        explain("--as", "uid=bob" + PEOPLE, "--target", "uid=Ann, ou=people, dc=example, dc=com");

    assertThat(lines)
        .startsWith(
            "client    uid=bob,ou=people,dc=example,dc=com by simple, from 127.0.0.1, over 0",
            "target    uid=Ann, ou=people, dc=example, dc=com",
            "")
        .anyMatch(line -> line.matches("about +rights +decided by"))
        .anyMatch(
            line ->
                line.matches("entry +disclose, compare, search, read +access.*: users may read"))
        .anyMatch(
            line -> line.matches("cn +disclose, compare, search, read +access.*: users may read"))
        .anyMatch(
            line ->
                line.startsWith("homePhone ")
                    && line.endsWith(
                        "access.rules:%d:1: no clause fits in: to below \"ou=people,dc=example,dc=com\""
                            .formatted(rest)))
        .anyMatch(line -> line.startsWith("userPassword "));
  }

  @Test
  void shouldTellWhoManagesByNestedGroups() {
    assertThat(explain("--as", "uid=ann" + PEOPLE, "--target", "uid=bob" + PEOPLE))
        .contains("in group  cn=admins,ou=groups,dc=example,dc=com")
        .anyMatch(
            line -> line.matches("homePhone +disclose, .*manage +access.*: admins may manage"));
  }

  /** Searches answer 32 there, whatever rules say: see {@code MonitorTest}. */
  @Test
  void shouldSayThatRootAloneIsServedTheMonitor() throws IOException {
    Path rules = folder.resolve("generous.rules");
    Files.writeString(rules, "to all\n  all may read\n");
    for (String target : List.of("cn=Monitor", "cn=Operations,cn=monitor")) {
      List<String> lines =
          explain("--as", "uid=ann" + PEOPLE, "--target", target, "--rules", rules.toString());
      assertThat(lines)
          .last()
          .isEqualTo(
              "No rule that is asked names a place there: the entry is served to the account of"
                  + " root.dn alone, and others are answered noSuchObject (32).");
      assertThat(lines).noneMatch(line -> line.contains("read"));
    }
    assertThat(explain("--as=", "--target=cn=Monitor", "--rules=" + rules, "--json"))
        .singleElement()
        .asString()
        .contains("\"hidden\":true", "\"rights\":[]");
  }

  @Test
  void shouldFindTheShippedRulesCareful() {
    String ann = "uid=ann" + PEOPLE;
    String bob = "uid=bob" + PEOPLE;
    String eve = "uid=eve" + PEOPLE;
    assertThat(aboutTarget(bob, "cn=it" + GROUPS, "member"))
        .contains("read, write  ")
        .endsWith("listed in owner may read, write");
    assertThat(aboutTarget(bob, "cn=it" + GROUPS, "owner")).doesNotContain("write");
    assertThat(aboutTarget(eve, "cn=it" + GROUPS, "member")).endsWith(": users may read");
    assertThat(aboutTarget(bob, "cn=admins" + GROUPS, "member")).endsWith(": users may read");
    assertThat(aboutTarget(ann, "cn=admins" + GROUPS, "member")).endsWith(": admins may manage");
    assertThat(explain("--as=" + ann, "--target=" + bob, "--attribute=userPassword", "--over=256"))
        .anyMatch(line -> line.endsWith(": admins may only manage, write, disclose"))
        .noneMatch(line -> line.contains("read, "));
    assertThat(aboutTarget(bob, bob, "mobile")).endsWith(": self may read, write");
    assertThat(aboutTarget(bob, bob, "homePhone")).endsWith(": self may read");
    assertThat(aboutTarget("", bob, "cn")).contains("  nothing  ");
    assertThat(aboutTarget("", "", "supportedControl")).endsWith(": all may read");
    assertThat(aboutTarget("", "cn=Subschema", "attributeTypes")).endsWith(": all may read");
    assertThat(aboutTarget(eve, "dc=example,dc=com", "dc")).endsWith(": users may read");
    assertThat(aboutTarget(eve, "ou=secret,dc=example,dc=com", "ou")).contains("no clause fits");
    assertThat(explain("--as=", "--target=" + bob, "--attribute=userPassword"))
        .anyMatch(line -> line.endsWith(": anonymous may authenticate"))
        .last()
        .isEqualTo(
            "Rules that do not name userPassword let nobody read it, and none do over less than 128"
                + " bits from elsewhere.");
  }

  @Test
  void shouldTellWhatDependsOnTheValueAndTheConnection() throws IOException {
    Path rules =
        Files.writeString(
            folder.resolve("other.rules"),
            """
            to attributes member
              users from 192.0.2.0/24 over 128 by EXTERNAL may read, write value self
            """);
    String[] question = {
      "--as=uid=eve" + PEOPLE,
      "--target=cn=it" + GROUPS,
      "--attribute=member",
      "--rules=" + rules,
      "--from=192.0.2.1",
      "--over=128",
      "--by=external"
    };
    assertThat(explain(question).getLast())
        .contains("member  disclose, compare, search, read; by value: write  other.rules:2:3: ");
    List<String> more = new ArrayList<>(List.of(question));
    more.add("--value=uid=eve" + PEOPLE);
    assertThat(explain(more.toArray(String[]::new)).getLast()).contains("read, write  other.");
    more.remove("--over=128");
    assertThat(explain(more.toArray(String[]::new)).getLast()).contains("no clause fits");
    more.set(1, "--target=cn=it" + GROUPS);
    more.set(2, "--attribute=cn");
    more.removeLast();
    assertThat(explain(more.toArray(String[]::new)).getLast())
        .isEqualTo("cn     nothing  no rule covers it");
  }

  @Test
  void shouldPrintJsonBesideARunningServer() throws Exception {
    try (RunningServer _ =
        LocalServer.start(
            folder, "access.rules = \"%s\"".formatted(folder.resolve("access.rules")))) {
      explain("--as", "uid=ann" + PEOPLE, "--attribute", "sn", "--json", "--from", "ldapi");
    }
    JsonObject json = JsonParser.parseString(nyala.out()).getAsJsonObject();
    assertThat(json.get("from").getAsString()).isEqualTo("ldapi");
    assertThat(json.get("over").getAsInt()).isEqualTo(71);
    assertThat(json.get("groups")).hasToString("[\"cn=admins,ou=groups,dc=example,dc=com\"]");
    assertThat(json.get("exists").getAsBoolean()).isTrue();
    JsonObject sn = json.getAsJsonArray("rights").get(0).getAsJsonObject();
    assertThat(sn.get("about").getAsString()).isEqualTo("sn");
    assertThat(sn.getAsJsonArray("rights")).hasSize(9);
    assertThat(sn.getAsJsonObject("clause").get("text").getAsString())
        .isEqualTo("admins may manage");
    assertThat(sn.getAsJsonObject("rule").get("line").getAsInt()).isPositive();
  }

  @Test
  void shouldSayThatRootMayDoEverything() {
    assertThat(explain("--as", "cn=admin"))
        .containsExactly(
            "cn=admin is the root account: it may do everything, and no rule is asked");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--target=cn=a|expected --as with the DN of a user, or '' for clients that have not bound",
        "--as=bob|--as: 'bob' is no DN: ",
        "--as=cn=a --target=x|--target: 'x' is no DN: ",
        "--as=cn=a --attribute=nose|--attribute: the schema has no attribute 'nose'",
        "--as=cn=a --value=x|--value: expected --attribute beside it",
        "--as=cn=a --from=here|--from: expected an address such as 192.0.2.1, or ldapi, not 'here'",
        "--as=cn=a --over=257|--over: expected a number of bits from 0 to 256",
        "--as=cn=a --by=magic|--by: expected simple or a mechanism such as EXTERNAL, not 'magic'",
        "--as=cn=a x.rules|explain takes the file of rules as --rules",
        "--as=cn=a -o x|--output: an option of import",
      })
  void shouldSayWhatItExpects(String arguments, String message) {
    List<String> all = new ArrayList<>(List.of("access", "explain"));
    all.addAll(List.of(arguments.split(" ", -1)));

    assertThat(nyala.run(configuration, all.toArray(String[]::new))).isEqualTo(ExitCode.USAGE);

    assertThat(nyala.err()).startsWith("nyala: " + message);
  }

  @Test
  void shouldNameFaultsOfTheRules() throws IOException {
    assertThat(nyala.run("access", "check", "--as=cn=a", "x")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).startsWith("nyala: --as: an option of explain\n");
    assertThat(nyala.run("access", "check")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).startsWith("nyala: expected a file behind check\n");
    Files.writeString(folder.resolve("access.rules"), "to al\n");
    assertThat(nyala.run(configuration, "access", "explain", "--as=cn=a"))
        .isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).startsWith("nyala: access.rules:1:4: found 'al'").hasLineCount(1);
    ServerProcess.configure(folder, "");
    assertThat(nyala.run(configuration, "access", "explain", "--as=cn=a"))
        .isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err())
        .isEqualTo(
            "nyala: the configuration names no access rules (access.rules): name a file with"
                + " --rules\n");
  }
}
