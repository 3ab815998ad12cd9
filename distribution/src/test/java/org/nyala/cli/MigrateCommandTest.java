package org.nyala.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;

/** Tests {@code nyala migrate}: its exit codes, and the files that it writes. */
class MigrateCommandTest {
  private static final String STORE = "database mdb\nsuffix dc=example,dc=com\n";

  @TempDir Path folder;

  private final LocalCommands nyala = new LocalCommands();

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private String data() throws IOException {
    return file(
        "data.ldif",
        """
        dn: dc=example,dc=com
        objectClass: organization
        objectClass: dcObject
        o: Example
        dc: example
        """);
  }

  @Test
  void shouldTellByTheExitCodeIfSomethingIsLost() throws Exception {
    String whole = file("whole.conf", STORE);
    String partly = file("partly.conf", STORE + "overlay translucent\n");
    String wrong = file("wrong.conf", STORE + "overlay unique\nunique_uri ldap:///?x?sub\n");
    Path to = folder.resolve("etc");

    assertThat(nyala.run("migrate", whole, data(), "--to=" + to)).isEqualTo(ExitCode.OK);
    assertThat(nyala.out()).contains("1 entries: 1 would be imported");
    assertThat(nyala.run("migrate", partly, "--to=" + to)).isEqualTo(ExitCode.REJECTED);
    assertThat(nyala.run("migrate", wrong, data(), "--to=" + to)).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.out()).contains("CANNOT BE USED", "not checked, because of");
    assertThat(nyala.run("migrate", folder + "/nowhere")).isEqualTo(ExitCode.FAILED);
    assertThat(to).doesNotExist();
  }

  @Test
  void shouldNotCheckDataWhoseConfigurationHasNoPlace() throws Exception {
    String conf = file("slapd.conf", STORE);
    file("report.txt", "of another day");

    int code = nyala.run("migrate", conf, data(), "--to=" + folder, "--write");

    assertThat(code).isEqualTo(ExitCode.FAILED);
    assertThat(nyala.err()).contains("report.txt is there already");
    assertThat(nyala.out()).isEmpty();
    assertThat(folder.resolve("nyala.conf")).doesNotExist();
  }

  @Test
  void shouldNameTheOptionForTheFolderOfTheCheck() throws Exception {
    String conf = file("slapd.conf", STORE);

    int code = nyala.run("migrate", conf, data(), "--work=" + folder.resolve("nowhere"));

    assertThat(code).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).contains("--work names one");
  }

  /** slapd without pw-sha2 lets nobody in by these, and the hashes are right. */
  @Test
  void shouldNamePasswordsThatSlapdDidNotCheck() throws Exception {
    String person =
        """
        dn: cn=%1$s,dc=example,dc=com
        objectClass: person
        cn: %1$s
        sn: %1$s
        userPassword: %2$s

        """;
    String ldif =
        file(
            "people.ldif",
            "dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n\n"
                + person.formatted("a", hashed("SSHA512"))
                + person.formatted("b", hashed("SSHA")));

    assertThat(nyala.run("migrate", file("slapd.conf", STORE), ldif)).isEqualTo(ExitCode.REJECTED);
    assertThat(nyala.out())
        .contains("1 x passwords in {SSHA512}, which slapd did not check", "cn=a,dc=example,dc=com")
        .doesNotContain("passwords in {SSHA},");
    nyala.run("migrate", file("sha2.conf", "moduleload pw-sha2.so\n" + STORE), ldif);
    assertThat(nyala.out()).doesNotContain("did not check");
  }

  private static String hashed(String scheme) {
    byte[] digest = new byte[scheme.equals("SSHA") ? 28 : 72];
    return '{' + scheme + '}' + Base64.getEncoder().encodeToString(digest);
  }
}
