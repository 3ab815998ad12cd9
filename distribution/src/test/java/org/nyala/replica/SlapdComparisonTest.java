package org.nyala.replica;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/** Compares Debian's slapd with LDIF and with a Nyala. */
@Timeout(300)
class SlapdComparisonTest {
  private static final String LDIF =
      """
      dn: cn=zoë,dc=example,dc=com
      userPassword: capstan
      sn: Z
      commonName: zoë
      objectClass: PERSON

      dn: CN=sub,dc=example,dc=com
      objectClass: subentry
      cn: sub
      subtreeSpecification: {}

      dn: DC=example, DC=com
      objectClass: domain
      dc: example
      """;

  @TempDir Path folder;

  private final LocalCommands nyala = new LocalCommands();

  private static void fill(LDAPConnection client) throws Exception {
    client.add("dn: dc=example,dc=com", "objectClass: domain", "dc: example");
    client.add(
        "dn: cn=zoë,dc=example,dc=com",
        "objectClass: person",
        "cn: zoë",
        "sn: Z",
        "userPassword: capstan");
    client.add(
        "dn: cn=sub,dc=example,dc=com",
        "objectClass: subentry",
        "cn: sub",
        "subtreeSpecification: {}");
  }

  private int compare(Path conf, String a, String b, String... more) {
    String[] all = new String[more.length + 3];
    all[0] = "compare";
    all[1] = a;
    all[2] = b;
    System.arraycopy(more, 0, all, 3, more.length);
    return nyala.run(conf, all);
  }

  @Test
  void comparesSlapd() throws Exception {
    String sameRoot = "root { dn = \"%s\", password = capstan }".formatted(SyncSlapd.ADMIN);
    Path home = Files.createDirectory(folder.resolve("nyala"));
    Path conf = ServerProcess.configure(home, sameRoot);
    String ldif = Files.writeString(folder.resolve("a.ldif"), LDIF).toString();
    String password = Files.writeString(folder.resolve("password"), "capstan\n").toString();
    String[] bind = {"--bind-dn=" + SyncSlapd.ADMIN, "--password-file=" + password};
    try (SyncSlapd slapd = SyncSlapd.provider(folder.resolve("slapd"));
        RunningServer server = LocalServer.start(home, sameRoot)) {
      try (LDAPConnection client = slapd.client();
          LDAPConnection root =
              new LDAPConnection(
                  "127.0.0.1", LocalServer.port(server), SyncSlapd.ADMIN, SyncSlapd.PASSWORD)) {
        fill(client);
        fill(root);
      }
      String url = slapd.url() + "/dc=example,dc=com";
      assertThat(compare(conf, ldif, url, bind))
          .as("%s%s", nyala.out(), nyala.err())
          .isEqualTo(ExitCode.OK);
      String other = "ldap://127.0.0.1:" + LocalServer.port(server) + "/dc=example,dc=com";
      assertThat(compare(conf, url, other, bind[0], bind[1], "--except=userPassword"))
          .as("%s%s", nyala.out(), nyala.err())
          .isEqualTo(ExitCode.OK);
      assertThat(nyala.out()).startsWith("3 entries are equal, 0 differ");
      try (LDAPConnection client = slapd.client()) {
        client.modify(
            "dn: cn=zoë,dc=example,dc=com",
            "changetype: modify",
            "add: sn",
            "sn: Y",
            "-",
            "replace: userPassword",
            "userPassword: canary-77");
        client.add("dn: cn=more,dc=example,dc=com", "objectClass: person", "cn: more", "sn: M");
      }
      String lacks = LDIF.replace("dn: DC=example", "dn: cn=x,DC=example");
      Files.writeString(Path.of(ldif), lacks);
      assertThat(compare(conf, ldif, url, bind)).isEqualTo(ExitCode.DIFFERENT);
      assertThat(nyala.out())
          .contains("differs: cn=zoë,dc=example,dc=com\n  sn: - | Y\n  userpassword differs\n")
          .contains("only in " + ldif + ": cn=x,DC=example, DC=com\n")
          .contains("only in " + slapd.url() + ": cn=more,dc=example,dc=com\n")
          .contains("only in " + slapd.url() + ": dc=example,dc=com\n")
          .doesNotContain("canary");
    }
  }
}
