package org.nyala.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;

class AccessCommandTest {
  @TempDir Path folder;

  private final LocalCommands nyala = new LocalCommands();

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  @Test
  void shouldWriteRulesThatCanBeChecked() throws IOException {
    String conf =
        file("slapd.conf", "# All.\naccess to *\n  by self write\n  by users read\n  by * none\n");

    assertThat(nyala.run("access", "import", conf)).isEqualTo(ExitCode.OK);

    assertThat(nyala.out())
        .contains("# All.\n# slapd.conf:2: access to *\n", "\nto all\n  self may read, auth");
    assertThat(nyala.err()).isEmpty();
    String rules = folder.resolve("access.rules").toString();
    assertThat(nyala.run("access", "import", conf, "-o", rules)).isEqualTo(ExitCode.OK);
    assertThat(nyala.out()).isEmpty();
    assertThat(nyala.run("access", "check", rules)).isEqualTo(ExitCode.OK);
    assertThat(nyala.out()).isEqualTo("the rules can be read: 2 rules, 0 limits, 0 remarks\n");
  }

  @Test
  void shouldNotWriteOverAFileUnasked() throws IOException {
    String conf = file("slapd.conf", "access to * by users read\n");
    String rules = file("access.rules", "to all\n  users may write\n");

    assertThat(nyala.run("access", "import", conf, "-o", rules)).isEqualTo(ExitCode.FAILED);

    assertThat(nyala.err())
        .isEqualTo("nyala: " + rules + " already exists; --replace writes over it\n");
    assertThat(Path.of(rules)).content().isEqualTo("to all\n  users may write\n");
    assertThat(nyala.run("access", "import", conf, "--replace", "-o", rules))
        .isEqualTo(ExitCode.OK);
    assertThat(Path.of(rules)).content().contains("users may read");
    assertThat(nyala.run("access", "import", conf, "-o", "/dev/null")).isEqualTo(ExitCode.OK);
    assertThat(nyala.run("access", "import", conf, "--replace")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.run("access", "check", rules, "--replace")).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void shouldListWhatCannotBeSaid() throws IOException {
    String conf =
        file("slapd.conf", "access to *\n  by domain=example.com none\n  by users read\n");

    assertThat(nyala.run("access", "import", conf)).isEqualTo(ExitCode.REJECTED);

    assertThat(nyala.err())
        .startsWith("slapd.conf:1: 'by domain=example.com none' taken for all who might be meant")
        .hasLineCount(1);
    assertThat(nyala.out()).contains("# Not said: ", "to all\n  all may nothing\n");
  }

  @Test
  void shouldFailInOneLine() throws IOException {
    String missing = folder.resolve("missing").toString();
    assertThat(nyala.run("access", "import", missing)).isEqualTo(ExitCode.FAILED);
    assertThat(nyala.err()).startsWith("nyala: ").hasLineCount(1);
    String circle = file("slapd.conf", "include slapd.conf\n");
    assertThat(nyala.run("access", "import", circle)).isEqualTo(ExitCode.FAILED);
    assertThat(nyala.err())
        .isEqualTo("nyala: slapd.conf:1: too many files that include each other\n");
    assertThat(nyala.run("access", "export", circle)).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.run("access", "check", circle, "-o", missing)).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.run("access", "check", circle)).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err())
        .isEqualTo(
            "nyala: slapd.conf:1:1: found 'include', expected one of 'zone', 'people', 'to',"
                + " 'delegate', 'limit'\n");
  }

  @Test
  void shouldFindWhatIsNeverAskedAndNamesWithoutEntries() throws IOException {
    String data = folder.resolve("data").toString();
    nyala.run("sample", "5", "-o", folder.resolve("a.ldif").toString());
    nyala.run("import", folder.resolve("a.ldif").toString(), "--data", data);
    String rules =
        file(
            "access.rules",
            """
            to all
              group "cn=nobodies,dc=example,dc=com" may write
              entry "gidNumber=0+uidNumber=0,cn=peercred,cn=external,cn=auth" may manage
              subtree "ou=People,dc=example,dc=com" may read
            to attributes cn
              users may read
            """);

    assertThat(nyala.run("access", "check", rules, "--data", data)).isEqualTo(ExitCode.OK);

    assertThat(nyala.out())
        .isEqualTo(
            """
            access.rules:5:1: this rule is never reached: the one in line 1 covers all that it covers
            access.rules:2:3: there is no group cn=nobodies,dc=example,dc=com
            the rules can be read: 2 rules, 0 limits, 2 remarks
            """);
  }
}
