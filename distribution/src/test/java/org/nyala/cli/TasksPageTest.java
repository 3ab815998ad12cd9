package org.nyala.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.Processes;
import org.nyala.process.ProgramJvm;

/** Runs the recipes of the manual, from the first to the last, in one shell. */
@Timeout(300)
class TasksPageTest {
  private static final String FENCE = "----\n";
  private static final String MARK = "== after ";

  @TempDir Path folder;

  @BeforeEach
  void install() throws Exception {
    Path launcher = Files.createDirectory(folder.resolve("bin")).resolve("nyala");
    String command =
        ProgramJvm.command(List.of("-Dnyala.home=" + folder), List.of()).stream()
            .map(each -> "'" + each + "'")
            .collect(Collectors.joining(" "));
    Files.writeString(launcher, "#!/bin/sh\nexec " + command + " \"$@\"\n");
    Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.createDirectory(folder.resolve("conf"));
    Files.writeString(folder.resolve("conf/root-password"), "forgotten\n");
    Files.writeString(folder.resolve("root.txt"), "forgotten\n");
    Files.writeString(folder.resolve("new.txt"), "known\n");
    Files.writeString(
        folder.resolve("conf/nyala.conf"),
        """
        nyala {
          listeners = ["ldap://127.0.0.1:0"]
          suffixes = ["dc=example,dc=com", "dc=old,dc=org"]
          root { dn = "cn=admin,dc=example,dc=com", passwordFile = "conf/root-password" }
          password.scheme = SSHA512
          passwordPolicy { default = "cn=policy,dc=example,dc=com", lastBind = true }
        }
        """);
    Files.writeString(folder.resolve("data.ldif"), data());
  }

  private static String data() {
    StringBuilder ldif =
        new StringBuilder(
            """
            dn: dc=example,dc=com
            objectClass: domain
            dc: example

            dn: cn=policy,dc=example,dc=com
            objectClass: device
            objectClass: pwdPolicy
            cn: policy
            pwdAttribute: userPassword
            pwdMustChange: TRUE

            dn: ou=People,dc=example,dc=com
            objectClass: organizationalUnit
            ou: People

            dn: dc=old,dc=org
            objectClass: domain
            dc: old

            dn: cn=team,dc=example,dc=com
            objectClass: groupOfNames
            cn: team
            member: uid=u1,ou=People,dc=example,dc=com

            """);
    for (int i = 0; i < 60; i++) {
      ldif.append(
          """
          dn: uid=u%1$d,ou=People,dc=example,dc=com
          objectClass: inetOrgPerson
          cn: User %1$d
          sn: User
          uid: u%1$d
          userPassword: secret
          mail: u%2$d@example.com
          l: %3$s
          employeeType: %4$s

          """
              .formatted(
                  i,
                  i == 7 ? 5 : i,
                  i % 3 == 0 ? "Bonn" : "Trier",
                  i % 4 == 0 ? "guest" : "staff"));
    }
    return ldif.toString();
  }

  /** A server that a recipe has left. */
  @AfterEach
  void stop() throws Exception {
    Processes.run(folder, Map.of(), List.of("bin/nyala", "stop"));
  }

  /** Returns the commands of the page as a script that marks the end of each block. */
  private static String script() throws Exception {
    String page = Files.readString(Path.of("../src-docs/manual.adoc"));
    String section = page.substring(page.indexOf("[#tasks]\n"), page.indexOf("[#sample]\n"));
    String[] parts = section.split(FENCE, -1);
    StringBuilder script = new StringBuilder("set -e\n");
    for (int i = 1; i < parts.length; i += 2) {
      script.append(parts[i]).append("echo '").append(MARK).append(i / 2 + 1).append("'\n");
    }
    return script.toString();
  }

  private Processes.Result sh(String script) throws Exception {
    return Processes.run(folder, Map.of("NYALA_CONFIG", ""), List.of("/bin/sh", "-c", script));
  }

  @Test
  void shouldRunFromTopToBottom() throws Exception {
    Processes.Result begun =
        sh(
            "bin/nyala import --suffix dc=example,dc=com --suffix dc=old,dc=org data.ldif &&"
                + " bin/nyala start");
    assertThat(begun.exitCode()).as("%s", begun).isZero();
    String script = script();
    Processes.Result result = sh(script);
    assertThat(result.exitCode()).as("%s", result).isZero();
    List<String> blocks = List.of(result.out().split(MARK + "\\d+\n", -1));
    assertThat(blocks.get(0))
        .contains(
            "15 entries match; nothing was deleted",
            "15 entries were deleted",
            "15 entries were changed, 0 were as they are to be");
    assertThat(blocks.get(1)).contains("45 entries were changed");
    assertThat(blocks.get(2).lines()).hasSize(45).allMatch(line -> line.startsWith("dn: uid=u"));
    assertThat(blocks.get(3)).contains("uniqueness", "uid=u7,ou=People,dc=example,dc=com");
    assertThat(blocks.get(5)).contains("ready on ldap://127.0.0.1:");
    assertThat(blocks.get(6)).contains("ready on ldap://127.0.0.1:");
    Processes.Result end =
        sh(
            "bin/nyala export --base dc=example,dc=net; bin/nyala modify --base dc=example,dc=net"
                + " --filter '(uid=u1)' --replace l=Köln --bind-dn cn=admin,dc=example,dc=net"
                + " --password-file new.txt");
    assertThat(end.exitCode()).as("%s", end).isZero();
    assertThat(end.out())
        .contains(
            "member: uid=u1,ou=People,dc=example,dc=net",
            "pwdReset: TRUE",
            "1 entries were changed")
        .doesNotContain("dc=com", "dc=old");
  }
}
