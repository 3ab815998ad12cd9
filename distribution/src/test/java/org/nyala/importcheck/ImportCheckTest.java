package org.nyala.importcheck;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.error.ExitCode;
import org.nyala.lmdb.env.StoreLock;
import org.nyala.process.LocalCommands;
import org.nyala.process.ServerProcess;

/** Compares what {@code config check --for-import} says of hostile LDIF with what imports do. */
class ImportCheckTest {
  private static final String RULES =
      """
      indexes { member = [eq], uid = [eq], mail = [eq], employeeNumber = [eq] }
      referentialIntegrity { attributes = [member] }
      uniqueness = [
        { attributes = [uid], base = "ou=people,dc=example,dc=com" }
        { attributes = [mail, employeeNumber], filter = "(!(sn=robot))" }
      ]
      """;

  private static final String TREE =
      """
      dn: uid=early,ou=people,dc=example,dc=com
      objectClass: inetOrgPerson
      cn: before its parent
      sn: early
      uid: early

      dn: dc=example,dc=com
      objectClass: domain
      dc: example

      dn: ou=people,dc=example,dc=com
      objectClass: organizationalUnit
      ou: people

      """;

  private static final String HOSTILE =
      TREE
          + person("a", "uid: shared", "mail: one@example.com", "userPassword: {ROT13}secret")
          + person("b", "uid: SHARED", "pwdAccountLockedTime: 000001010000Z")
          + person("c", "mail: ONE@example.com", "uid: shared")
          + person("robot", "sn: robot", "mail: one@example.com")
          + person("d", "loginHours: x", "colour: red", "objectClass: painter")
          + person("e", "colour: red", "description;x-shade: dark")
          + person("f", "telephoneNumber: \u0001")
          + person("later", "pwdAccountLockedTime: 29991231235959Z")
          + person("a", "description: again")
          + """
          dn: uid=shared,dc=example,dc=com
          objectClass: account
          uid: shared

          dn: cn=orphan,ou=nowhere,dc=example,dc=com
          objectClass: person
          cn: orphan
          sn: orphan

          dn: cn=out,dc=example,dc=org
          objectClass: person
          cn: out
          sn: out

          dn: cn=group,dc=example,dc=com
          objectClass: groupOfNames
          cn: group
          member: cn=a,ou=people,dc=example,dc=com
          member: cn=f,ou=people,dc=example,dc=com
          member: cn=elsewhere,dc=example,dc=org

          dn: cn=unique,dc=example,dc=com
          objectClass: groupOfUniqueNames
          cn: unique
          uniqueMember: cn=a,ou=people,dc=example,dc=com#'0101'B
          uniqueMember: cn=gone,ou=people,dc=example,dc=com#'0101'B

          dn: broken
          not a line

          """;

  @TempDir Path folder;

  private final LocalCommands nyala = new LocalCommands();
  private Path conf = Path.of("none");

  @BeforeEach
  void configure() throws IOException {
    conf = ServerProcess.configure(folder, RULES);
  }

  private static String person(String name, String... lines) {
    String dn = "dn: cn=" + name + ",ou=people,dc=example,dc=com\n";
    String sn = String.join("\n", lines).contains("sn: ") ? "" : "sn: " + name + "\n";
    return dn
        + "objectClass: inetOrgPerson\ncn: "
        + name
        + "\n"
        + sn
        + String.join("\n", lines)
        + "\n\n";
  }

  private String write(String text) throws IOException {
    return Files.writeString(folder.resolve("data.ldif"), text).toString();
  }

  private JsonObject check(String ldif, String uniqueness, int exitCode) {
    int code =
        nyala.run(
            conf,
            "config",
            "check",
            "--for-import=" + ldif,
            "--json",
            "--uniqueness=" + uniqueness);
    assertThat(code).as(nyala.err() + nyala.out()).isEqualTo(exitCode);
    return JsonParser.parseString(nyala.out()).getAsJsonObject();
  }

  private static List<String> texts(JsonObject json, String member) {
    List<String> texts = new ArrayList<>();
    for (JsonElement each : json.getAsJsonArray(member)) {
      texts.add(
          each.isJsonObject()
              ? each.getAsJsonObject().get("text").getAsString()
              : each.getAsString());
    }
    return texts;
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(Path::toString).sorted().toList();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"report", "reject"})
  void shouldGiveTheVerdictsOfTheImport(String uniqueness) throws IOException {
    String ldif = write(HOSTILE);
    List<String> before = names();
    JsonObject checked = check(ldif, uniqueness, ExitCode.REJECTED);
    assertThat(names()).isEqualTo(before);

    int code = nyala.run(conf, "import", ldif, "--uniqueness=" + uniqueness);
    assertThat(code).as(nyala.err()).isEqualTo(ExitCode.REJECTED);
    List<String> expected = new ArrayList<>(texts(checked, "firstRejections"));
    expected.add("rejected by cause:");
    texts(checked, "rejectionCauses").forEach(line -> expected.add("  " + line));
    texts(checked, "warnings").forEach(line -> expected.add("warning: " + line));
    texts(checked, "findings").forEach(line -> expected.add("warning: " + line));
    assertThat(nyala.err().lines().toList()).isEqualTo(expected);
    assertThat(nyala.out())
        .contains(
            "imported " + checked.get("entriesImported") + " of " + checked.get("entriesRead"),
            checked.get("entriesRejected") + " rejected");
    assertThat(nyala.run(conf, "verify")).as(nyala.err()).isEqualTo(ExitCode.OK);
  }

  /** An import finds what an extension would refuse, and verify finds it in what is stored. */
  @Test
  void shouldReportWhatExtensionsFind() throws IOException {
    conf =
        ServerProcess.configure(
            folder,
            "constraint.rules = [{ attributes = [mail], regex = \"@example.com$\" }"
                + ", { attributes = [title], listAttributes = [ou], maximumValues = 1 }]");
    String ldif =
        write(
            TREE
                + person("a", "mail: a@example.com", "title: people")
                + person("b", "mail: b@example.org", "mail: b@example.net")
                + person("c", "mail: c", "title: nothing"));
    String line =
        "warning: 3 x entries do not keep to the rules of the extension constraint:"
            + " cn=b,ou=people,dc=example,dc=com: a value of mail does not match the regular"
            + " expression of a constraint; cn=c,ou=people,dc=example,dc=com: a value of mail does"
            + " not match the regular expression of a constraint; cn=c,ou=people,dc=example,dc=com:"
            + " a value of title is in none of the entries that a constraint names";
    assertThat(nyala.run(conf, "import", ldif)).isEqualTo(ExitCode.OK);
    assertThat(nyala.err().lines()).contains(line);
    assertThat(nyala.run(conf, "verify", "--schema")).isEqualTo(ExitCode.OK);
    assertThat(nyala.err().lines()).contains(line);
    assertThat(nyala.run(conf, "verify")).isEqualTo(ExitCode.OK);
    assertThat(nyala.err()).doesNotContain("constraint");
  }

  @Test
  void shouldRefuseAnImportIfAnExtensionNamesWhatDoesNotExist() throws IOException {
    conf =
        ServerProcess.configure(
            folder, "constraint.rules = [{ attributes = [male], maximumValues = 1 }]");
    assertThat(nyala.run(conf, "import", write(TREE))).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).contains("nyala.constraint.rules", "no attribute type male");
  }

  /** Values so many that the store keeps them apart from their entry. */
  @Test
  void shouldReportWhatExtensionsFindInManyValues() throws IOException {
    conf =
        ServerProcess.configure(
            folder,
            "constraint.rules = [{ attributes = [mail], forbiddenRegex = \"^m7999@\" }"
                + ", { attributes = [mail], maximumValues = 7999 }]");
    String[] lines =
        IntStream.range(0, 8000)
            .mapToObj(i -> "mail: m" + i + "@example.com")
            .toArray(String[]::new);
    assertThat(nyala.run(conf, "import", write(TREE + person("a", lines)))).isEqualTo(ExitCode.OK);
    assertThat(nyala.err())
        .contains("2 x entries do not keep to the rules of the extension constraint");
  }

  @Test
  void shouldReportAllThatIsWrong() throws IOException {
    JsonObject checked = check(write(HOSTILE), "report", ExitCode.REJECTED);
    assertThat(texts(checked, "findings"))
        .contains(
            "2 x rejected entries use the attribute colour, which no schema file defines: add the"
                + " file that does to a folder of schema:"
                + " 'cn=d,ou=people,dc=example,dc=com' (line 47);"
                + " 'cn=e,ou=people,dc=example,dc=com' (line 55)")
        .anyMatch(line -> line.startsWith("1 x rejected entries use the attribute loginHours"))
        .anyMatch(line -> line.startsWith("1 x rejected entries have the object class painter"))
        .anyMatch(line -> line.startsWith("1 x rejected entries use the attribute option x-shade"))
        .anyMatch(
            line ->
                line.startsWith("1 x accounts with pwdAccountLockedTime")
                    && line.endsWith(": cn=b,ou=people,dc=example,dc=com"))
        .anyMatch(
            line ->
                line.startsWith("1 x accounts have a pwdAccountLockedTime to come")
                    && line.contains("until then")
                    && line.endsWith(": cn=later,ou=people,dc=example,dc=com"))
        .contains(
            "2 x entries have a value of uid that another entry has, against nyala.uniqueness:"
                + " cn=b,ou=people,dc=example,dc=com has 'SHARED' of"
                + " cn=a,ou=people,dc=example,dc=com;"
                + " cn=c,ou=people,dc=example,dc=com has 'shared' of"
                + " cn=a,ou=people,dc=example,dc=com")
        .contains(
            "1 x entries have a value of mail that another entry has, against nyala.uniqueness:"
                + " cn=c,ou=people,dc=example,dc=com has 'ONE@example.com' of"
                + " cn=a,ou=people,dc=example,dc=com")
        .contains(
            "1 x values of member name no entry: cn=f,ou=people,dc=example,dc=com in"
                + " cn=group,dc=example,dc=com",
            "1 x values of uniqueMember name no entry: cn=gone,ou=people,dc=example,dc=com in"
                + " cn=unique,dc=example,dc=com");
    assertThat(texts(checked, "warnings"))
        .anyMatch(line -> line.contains("{ROT13}") && line.contains("cn=a,ou=people"));
  }

  @Test
  void shouldLeaveOutWhatWouldHaveAValueOfAnother() throws IOException {
    String ldif =
        write(
            TREE
                + person("a", "uid: shared")
                + person("b", "uid: SHARED", "mail: b@example.com")
                + person("below,cn=b", "uid: below").replace("cn: below,cn=b", "cn: below")
                + person("c", "uid: below")
                + person("d", "mail: b@example.com"));
    Path rejected = folder.resolve("rejected.ldif");
    int code = nyala.run(conf, "import", ldif, "--uniqueness=reject", "--reject=" + rejected);
    assertThat(code).as(nyala.err()).isEqualTo(ExitCode.REJECTED);
    assertThat(Files.readString(rejected))
        .contains(
            "a value of uid is to be unique, and this has 'SHARED' of"
                + " cn=a,ou=people,dc=example,dc=com\ndn: cn=b,ou=people,dc=example,dc=com\n",
            "\ndn: cn=below,cn=b,ou=people,dc=example,dc=com\n")
        .doesNotContain("cn=a,ou=people,dc=example,dc=com\nobjectClass")
        .doesNotContain("dn: cn=c,", "dn: cn=d,");
    assertThat(nyala.out()).contains("imported 6 of 8 entries");
  }

  @Test
  void shouldCompareAllOfManyValues() throws IOException {
    conf =
        ServerProcess.configure(
            folder,
            """
            indexes { description = [eq] }
            uniqueness = [{ attributes = [description], filter = "(!(description=absent))" }]
            """);
    String ldif =
        write(
            TREE
                + person("first", "description: z")
                + person("exempt", many("a"), "description: absent")
                + person("large", many("b"), "description: a7", "description: z"));
    assertThat(texts(check(ldif, "report", ExitCode.OK), "findings"))
        .containsExactly(
            "1 x entries have a value of description that another entry has, against"
                + " nyala.uniqueness: cn=large,ou=people,dc=example,dc=com has 'z' of"
                + " cn=first,ou=people,dc=example,dc=com");
  }

  private static String many(String name) {
    return IntStream.range(0, 6000)
        .mapToObj(i -> "description: " + name + i)
        .collect(Collectors.joining("\n"));
  }

  @Test
  void shouldRefuseFilesWithoutEntriesAsTheImportDoes() throws IOException {
    String ldif = write("# nothing\n\n");
    assertThat(nyala.run(conf, "import", ldif)).isEqualTo(ExitCode.FAILED);
    assertThat(nyala.err()).contains("the input holds no entries");
    assertThat(nyala.run(conf, "config", "check", "--for-import=" + ldif))
        .isEqualTo(ExitCode.FAILED);
    assertThat(nyala.err()).contains("the input holds no entries");
  }

  @Test
  void shouldDeleteWhatKilledChecksHaveLeftAndNothingElse() throws IOException {
    String ldif = write(TREE);
    Path used = abandoned("nyala-check-00000000-0000-0000-0000-000000000001");
    Path other = abandoned("nyala-check-mine");
    List<String> before = names();
    abandoned("nyala-check-00000000-0000-0000-0000-000000000002");
    try (StoreLock _ = StoreLock.acquire(used)) {
      check(ldif, "report", ExitCode.OK);
    }
    assertThat(names()).isEqualTo(before);
    assertThat(used.resolveSibling(used.getFileName() + ".importing-7")).isNotEmptyDirectory();
    assertThat(other).isNotEmptyDirectory();
  }

  private Path abandoned(String name) throws IOException {
    Path made = Files.createDirectory(folder.resolve(name));
    Files.createFile(made.resolve(StoreLock.FILE_NAME));
    Path built = Files.createDirectory(folder.resolve(name + ".importing-7"));
    Files.writeString(built.resolve("data.mdb"), "some gigabytes");
    return made;
  }

  @Test
  void shouldReportAllMistakesAndMissingIndexes() throws IOException {
    conf =
        ServerProcess.configure(
            folder,
            """
            indexes { cn = [eq] }, uniqueness = [{ attributes = [uid] }]
            access.writers = [nobody]
            """);
    JsonObject checked = check(write(TREE), "report", ExitCode.USAGE);
    assertThat(texts(checked, "mistakes"))
        .singleElement()
        .asString()
        .contains("nyala.access.writers: expected a DN, found 'nobody'");
    assertThat(texts(checked, "findings"))
        .containsExactly(
            "1 x index missing: nyala.uniqueness needs an equality index on an attribute: uid");
    int code = nyala.run(conf, "import", write(TREE), "--uniqueness=reject");
    assertThat(code).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).contains("nyala.indexes lacks eq for uid");
  }
}
