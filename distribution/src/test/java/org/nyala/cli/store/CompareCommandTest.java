package org.nyala.cli.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.cli.Main;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/** Compares LDIF files, data directories and servers. */
@Timeout(300)
class CompareCommandTest {
  private static final String CANARY = "canary-31f0";

  private static final String PLAIN =
      """
      version: 1

      dn: dc=example,dc=com
      objectClass: domain
      dc: example

      dn: cn=Zoë,dc=example,dc=com
      objectClass: person
      objectClass: top
      cn: Zoë
      sn: One
      sn: Two
      description: a rather long description of one line
      userPassword: {CLEARTEXT}canary-31f0

      dn: cn=all,dc=example,dc=com
      objectClass: groupOfNames
      cn: all
      member: cn=Zoë,dc=example,dc=com
      member: dc=example,dc=com
      """;

  /** The same in another order, other spellings, wrapped, and in base64. */
  private static final String OTHERWISE =
      """
      # three entries
      dn: CN=All, DC=Example,dc=com
      member: DC=example, DC=COM
      member:: Y249Wm/DqyxkYz1leGFtcGxlLGRjPWNvbQ==
      commonName: all
      OBJECTCLASS: groupofnames

      dn:: Y249Wm/DqyxkYz1leGFtcGxlLGRjPWNvbQ==
      2.5.4.4: Two
      sn: One
      userPassword:: e0NMRUFSVEVYVH1jYW5hcnktMzFmMA==
      cn: Zoë
      description: a rather long descr
       iption of
        one line
      objectClass: top
      objectClass: 2.5.6.6

      dn: dc=example,dc=com
      dc: example
      objectClass: domain
      createTimestamp: 20200101000000Z
      """;

  private static final String CHANGED =
      PLAIN
          .replace("sn: Two", "sn: two")
          .replace(CANARY, CANARY + "-new")
          .replace("dn: cn=all", "dn: cn=some")
          .replace("\ncn: all", "\ncn: some");

  @TempDir Path folder;

  private final LocalCommands nyala = new LocalCommands();
  private Path conf = Path.of("none");
  private String plain = "";

  @BeforeEach
  void prepare() throws IOException {
    conf = ServerProcess.configure(folder, "");
    plain = write("plain.ldif", PLAIN);
  }

  private String write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private int compare(String... arguments) {
    List<String> all = new ArrayList<>(List.of("compare"));
    all.addAll(List.of(arguments));
    return nyala.run(conf, all.toArray(String[]::new));
  }

  private void shouldBeEqual(String... arguments) {
    assertThat(compare(arguments)).as("%s%s", nyala.out(), nyala.err()).isEqualTo(ExitCode.OK);
    assertThat(nyala.out()).isEqualTo("3 entries are equal, 0 differ or are in one only\n");
  }

  private void shouldShowTheDifferences(String label, String changed) {
    assertThat(nyala.out())
        .contains("only in " + label + ": cn=all,dc=example,dc=com\n")
        .contains("only in " + changed + ": cn=some,dc=example,dc=com\n")
        .contains("differs: cn=Zoë,dc=example,dc=com\n  sn: Two | two\n  userpassword differs\n")
        .endsWith("1 entries are equal, 3 differ or are in one only\n")
        .doesNotContain(CANARY)
        .hasLineCount(6);
    assertThat(nyala.err()).isEmpty();
  }

  @Test
  void orderLayoutAndSpellingDoNotCount() throws IOException {
    String otherwise = write("otherwise.ldif", OTHERWISE);
    shouldBeEqual(plain, otherwise);
    shouldBeEqual(otherwise, plain);
    assertThat(compare(plain, otherwise, "--operational")).isEqualTo(ExitCode.DIFFERENT);
    assertThat(nyala.out())
        .startsWith("differs: dc=example,dc=com\n  createtimestamp: - | 20200101000000Z\n")
        .endsWith("2 entries are equal, 1 differ or are in one only\n");
    shouldBeEqual(plain, otherwise, "--operational", "--except=2.5.18.1");
  }

  @Test
  void filesDiffer() throws IOException {
    String changed = write("changed.ldif", CHANGED);
    assertThat(compare(plain, changed)).isEqualTo(ExitCode.DIFFERENT);
    shouldShowTheDifferences(plain, changed);
    assertThat(compare(plain, changed, "--limit=1")).isEqualTo(ExitCode.DIFFERENT);
    assertThat(nyala.out())
        .startsWith("differs: ")
        .endsWith("3 differ or are in one only, 2 of them not shown\n")
        .hasLineCount(4);
    assertThat(compare(plain, changed, "--limit=0")).isEqualTo(ExitCode.DIFFERENT);
    assertThat(nyala.out()).hasLineCount(1).contains(" 3 of them not shown");
    assertThat(compare(plain, changed, "--except=surname,userPassword"))
        .isEqualTo(ExitCode.DIFFERENT);
    assertThat(nyala.out()).doesNotContain("differs: ").contains("2 entries are equal, 2 differ");
    assertThat(compare(plain, changed, "--base=CN=Zoë,dc=example,dc=com", "--except=sn"))
        .isEqualTo(ExitCode.DIFFERENT);
    assertThat(nyala.out()).endsWith("0 entries are equal, 1 differ or are in one only\n");
  }

  @Test
  void repeatedNamesAreDifferences() throws IOException {
    String twice = write("twice.ldif", PLAIN + "\ndn: DC=example,dc=com\ndc: example\n");
    assertThat(compare(plain, twice)).isEqualTo(ExitCode.DIFFERENT);
    assertThat(nyala.out())
        .startsWith("several times in " + twice + ": DC=example,dc=com\n")
        .endsWith("2 entries are equal, 1 differ or are in one only\n")
        .hasLineCount(2);
    assertThat(compare(twice, plain)).isEqualTo(ExitCode.DIFFERENT);
    assertThat(nyala.out()).contains("several times in " + twice + ": ").hasLineCount(2);
    assertThat(compare(twice, twice)).isEqualTo(ExitCode.DIFFERENT);
    String none = write("none.ldif", "");
    assertThat(compare(none, twice)).isEqualTo(ExitCode.DIFFERENT);
    assertThat(nyala.out()).contains("0 entries are equal, 3 differ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          no colon                      | line 6: expected
          cn:: %%%                      | line 6: the value is not valid base64
          changetype: delete            | line 6:
          """)
  void malformedFilesAreErrors(String line, String message) throws IOException {
    String text = "dn: dc=example,dc=com\nobjectClass: domain\n\n\ndn: cn=a,dc=example,dc=com\n";
    String wrong = write("wrong.ldif", text + line + "\n");
    assertThat(compare(plain, wrong)).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).startsWith("nyala: " + wrong + ", " + message).hasLineCount(1);
    assertThat(compare(wrong, plain)).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void wrongOperandsAreErrors() throws IOException {
    String nameless = write("nameless.ldif", "dn: nonsense\ncn: a\n");
    assertThat(compare(plain, nameless)).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).contains("line 1: 'nonsense' is no name");
    assertThat(compare(plain)).isEqualTo(ExitCode.USAGE);
    assertThat(compare(plain, plain, "--base=dc=exmaple,dc=com")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).contains(plain + ": there is no entry at or below dc=exmaple,dc=com");
    assertThat(compare(plain, plain, "--base=nonsense")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).contains("--base: 'nonsense' is no name of an entry");
    String missing = folder.resolve("missing").toString();
    assertThat(compare(plain, missing)).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).contains("'" + missing + "' is no LDIF file, data directory or URL");
    assertThat(compare(plain, folder.toString())).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).contains("no directory data in " + folder);
    assertThat(compare(plain, "ldap://127.0.0.1:1")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).contains("--base");
    assertThat(compare(plain, "ldap://127.0.0.1:1/dc=example,dc=com")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err())
        .startsWith("nyala: ldap://127.0.0.1:1: ")
        .containsIgnoringCase("connect")
        .hasLineCount(1);
    assertThat(compare(plain, "ldap://192.0.2.1/dc=example,dc=com")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).contains("clear text to ldap://192.0.2.1:389");
    assertThat(compare(plain, plain, "--limit=-1")).isEqualTo(ExitCode.USAGE);
    assertThat(compare(plain, plain, "--data=x")).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void secretsOfTheConfigurationAreNotPrinted() throws IOException {
    conf = ServerProcess.configure(folder, "secretAttributes = [x-token, 1.3.6.1.4.1.99999.1]");
    String text = "dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n";
    String one = write("one.ldif", text + "X-Token: canary-1\n1.3.6.1.4.1.99999.1: canary-2\n");
    String other = write("other.ldif", text + "x-token;x: canary-3\nx-token: canary-4\n");
    assertThat(compare(one, other)).isEqualTo(ExitCode.DIFFERENT);
    assertThat(nyala.out())
        .contains("  x-token differs\n")
        .contains("  x-token;x differs\n")
        .contains("  1.3.6.1.4.1.99999.1 differs\n")
        .doesNotContain("canary");
  }

  @Test
  void secretsOfTheSchemaOfTheSecondDirectoryAreNotPrinted() throws Exception {
    assertThat(nyala.run(conf, "import", plain)).as(nyala.err()).isEqualTo(ExitCode.OK);
    Path other = Files.createDirectory(folder.resolve("other"));
    // In a process of its own: this one would learn the type from its server.
    try (ServerProcess server = ServerProcess.start(other, "");
        LDAPConnection root = server.client("cn=admin", "admin")) {
      root.modify(
          "dn: cn=Subschema",
          "changetype: modify",
          "add: attributeTypes",
          "attributeTypes: ( 1.3.6.1.4.1.99999.7 NAME 'x-door' SUP userPassword )");
      root.add(
          "dn: dc=example,dc=com",
          "objectClass: domain",
          "objectClass: extensibleObject",
          "dc: example",
          "x-door: " + CANARY);
    }
    assertThat(compare(folder.resolve("data").toString(), other.resolve("data").toString()))
        .as(nyala.err())
        .isEqualTo(ExitCode.DIFFERENT);
    assertThat(nyala.out()).contains("  x-door differs\n").doesNotContain(CANARY);
  }

  @Test
  void exceptionsAreUnderstoodOrReported() throws IOException {
    String text = "dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n";
    String one = write("one.ldif", text);
    String other = write("other.ldif", text + "description;lang-de: eins\nx-any;y: 1\n");
    assertThat(compare(one, other, "--except=Description;LANG-DE,X-Any"))
        .as(nyala.out())
        .isEqualTo(ExitCode.OK);
    assertThat(nyala.err()).isEmpty();
    assertThat(compare(one, other, "--except=description;lang-fr,x-any"))
        .isEqualTo(ExitCode.DIFFERENT);
    assertThat(compare(one, other, "--except=description, x-any,x-typo"))
        .as(nyala.out())
        .isEqualTo(ExitCode.OK);
    assertThat(nyala.err())
        .isEqualTo("nyala: --except: neither the schema nor an entry has 'x-typo'\n");
    String malformed = write("malformed.ldif", text + "commonName;x_y: 1\n");
    assertThat(compare(one, malformed, "--except=cn")).as(nyala.out()).isEqualTo(ExitCode.OK);
    String operational = write("operational.ldif", text + "createTimestamp;x_y: 1\n");
    assertThat(compare(one, operational)).as(nyala.out()).isEqualTo(ExitCode.OK);
  }

  @Test
  void computedAttributesAreNotCompared() throws IOException {
    String text = "dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n";
    String one = write("one.ldif", text + "entryTtl: 10\ngoverningStructureRule: 1\n");
    String other = write("other.ldif", text + "entryTtl: 20\nentryDN: dc=example,dc=com\n");
    assertThat(compare(one, other, "--operational")).as(nyala.out()).isEqualTo(ExitCode.OK);
  }

  @Test
  void longNamesAreErrors() throws IOException {
    String name = "cn=" + "a".repeat(9000) + ",dc=example,dc=com";
    String wrong = write("long.ldif", "dn: " + name + "\nobjectClass: device\n");
    assertThat(compare(plain, wrong)).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).contains("line 1: ").contains("9021 bytes, at most 8192 are allowed");
    conf = ServerProcess.configure(folder, "limits.dnRdns = 2");
    String deep = write("deep.ldif", "dn: cn=a,dc=example,dc=com\nobjectClass: device\n");
    assertThat(compare(deep, deep)).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).contains("line 1: ");
  }

  /** A writer whose caller fails as the JVM itself does. */
  private static final class Exhausted extends Writer {
    @Override
    public void write(char[] text, int from, int length) {
      throw new StackOverflowError();
    }

    @Override
    public void flush() {
      // Nothing is held.
    }

    @Override
    public void close() {
      // Nothing is open.
    }
  }

  @Test
  void errorsOfTheJvmAreNoDifferences() {
    StringWriter err = new StringWriter();
    int code =
        Main.commandLine()
            .setOut(new PrintWriter(new Exhausted(), true))
            .setErr(new PrintWriter(err, true))
            .execute("compare", plain, plain, "--config=" + conf);
    assertThat(code).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("StackOverflowError");
  }

  @Test
  void comparesDataDirectories() throws IOException {
    assertThat(nyala.run(conf, "import", plain)).as(nyala.err()).isEqualTo(ExitCode.OK);
    String data = folder.resolve("data").toString();
    shouldBeEqual(write("otherwise.ldif", OTHERWISE), data);
    String exported = folder.resolve("exported.ldif").toString();
    assertThat(nyala.run(conf, "export", "-o", exported)).isEqualTo(ExitCode.OK);
    shouldBeEqual(data, exported, "--operational");
    assertThat(compare(data, plain, "--operational")).isEqualTo(ExitCode.DIFFERENT);
    assertThat(nyala.out()).contains("  entryuuid: ").contains("3 differ");
    String changed = write("changed.ldif", CHANGED);
    assertThat(compare(data, changed)).isEqualTo(ExitCode.DIFFERENT);
    shouldShowTheDifferences(data, changed);
    assertThat(compare(data, data)).isEqualTo(ExitCode.USAGE);
    assertThat(compare(data, plain, "--base=cn=none,dc=example,dc=com")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).contains(data + ": there is no entry cn=none,dc=example,dc=com");
  }

  @Test
  void comparesServers() throws Exception {
    String changed = write("changed.ldif", CHANGED);
    String password = write("password", "admin\n");
    try (RunningServer server = LocalServer.start(folder, "")) {
      try (LDAPConnection root = LocalServer.connectAsRoot(server)) {
        root.add("dn: dc=example,dc=com", "objectClass: domain", "dc: example");
        root.add(
            "dn: cn=Zoë,dc=example,dc=com",
            "objectClass: person",
            "objectClass: top",
            "cn: Zoë",
            "sn: Two",
            "sn: One",
            "description: a rather long description of one line");
        root.add(
            "dn: cn=all,dc=example,dc=com",
            "objectClass: groupOfNames",
            "cn: all",
            "member: dc=example,dc=com",
            "member: cn=Zoë,dc=example,dc=com");
      }
      String address = "ldap://127.0.0.1:" + LocalServer.port(server);
      String url = address + "/dc=example,dc=com";
      String[] bind = {"--bind-dn=cn=admin", "--password-file=" + password};
      shouldBeEqual(plain, url, bind[0], bind[1], "--except=userPassword");
      shouldBeEqual(url, plain, bind[0], bind[1], "--except=userPassword");
      shouldBeEqual(
          address, plain, "--base=dc=example,dc=com", bind[0], bind[1], "--except=userPassword");
      assertThat(compare(url, changed, bind[0], bind[1])).isEqualTo(ExitCode.DIFFERENT);
      shouldShowTheDifferences(address, changed);
      assertThat(compare(plain, url + "?cn", bind[0], bind[1])).isEqualTo(ExitCode.USAGE);
      assertThat(nyala.err()).contains("expected no attributes, scope or filter");
      assertThat(compare(plain, address + "/cn=none", bind[0], bind[1])).isEqualTo(ExitCode.USAGE);
      assertThat(nyala.err()).contains(address + ": no such object");
      assertThat(compare(plain, url, bind[0], "--password-file=" + plain))
          .isEqualTo(ExitCode.USAGE);
    }
  }
}
