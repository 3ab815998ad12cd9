package org.nyala.cli.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldif.LDIFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.FreePorts;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.process.Processes;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/** Moves two naming contexts to Debian's slapd, after changes here. */
@Timeout(300)
class ExportToSlapdTest {
  private static final String ONE = "dc=example,dc=com";
  private static final String TWO = "o=Works";
  private static final String SCHEMA =
      """
      attributetype ( 1.3.6.1.4.1.55555.1.1 NAME 'worksNumber' EQUALITY caseIgnoreMatch
          SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )
      objectclass ( 1.3.6.1.4.1.55555.2.1 NAME 'worker' SUP top AUXILIARY MAY worksNumber )
      """;
  private static final String SLAPD =
      """
      include /etc/ldap/schema/core.schema
      include /etc/ldap/schema/cosine.schema
      include /etc/ldap/schema/inetorgperson.schema
      include FOLDER/schema/works.schema
      modulepath /usr/lib/ldap
      moduleload back_mdb
      moduleload memberof
      moduleload refint
      moduleload ppolicy
      moduleload syncprov
      attributeoptions lang- x-
      access to * by * read
      database mdb
      suffix "dc=example,dc=com"
      rootdn "cn=admin,dc=example,dc=com"
      rootpw secret
      directory FOLDER/one
      maxsize 104857600
      dbnosync
      overlay memberof
      overlay refint
      refint_attributes member
      overlay ppolicy
      overlay syncprov
      database mdb
      suffix "o=Works"
      rootdn "cn=admin,o=Works"
      rootpw secret
      directory FOLDER/two
      maxsize 104857600
      dbnosync
      overlay memberof
      overlay syncprov
      """;
  private static final String CONFIGURATION =
      """
      suffixes = ["dc=example,dc=com", "o=Works"], schema.folders = ["FOLDER/schema"]
      attributeOptions = ["lang-", "x-"]
      indexes { objectClass = [eq], member = [eq], entryUUID = [eq], entryCSN = [eq] }
      memberOf { enabled = true, groupAttributes = [member] }, referentialIntegrity { attributes = [member] }
      """;
  private static final String FIRST = "20240101000000.000001Z#000000#001#000000";
  private static final String SECOND = "20240102000000.000001Z#000000#002#000000";

  @TempDir Path folder;

  private final LocalCommands nyala = new LocalCommands();

  private static String entry(String dn, String... lines) {
    return "dn: " + dn + "\n" + String.join("\n", lines) + "\n\n";
  }

  private static String person(String name, String top, String... more) {
    List<String> lines =
        new ArrayList<>(List.of("objectClass: inetOrgPerson", "cn: " + name, "sn: " + name));
    lines.addAll(List.of(more));
    return entry("cn=" + name + "," + top, lines.toArray(String[]::new));
  }

  private static String data() {
    byte[] picture = new byte[5000];
    new Random(7).nextBytes(picture);
    return entry(ONE, "objectClass: domain", "dc: example", "contextCSN: " + FIRST)
        + entry("ou=people," + ONE, "objectClass: organizationalUnit", "ou: people")
        + person(
            "alice",
            "ou=people," + ONE,
            "objectClass: worker",
            "worksNumber: 17",
            "description;lang-en;x-shade: " + "long ".repeat(100) + "end",
            "jpegPhoto:: " + Base64.getEncoder().encodeToString(picture),
            "userPassword: {SSHA}MjBkMjBkMjBkMjBkMjBkMjBkMjBkMjBkMjA=",
            "memberOf: cn=frozen,dc=example,dc=com",
            "pwdChangedTime: 20240101000000Z",
            "pwdFailureTime: 20240101000000.000001Z",
            "pwdPolicySubentry: cn=policy,dc=example,dc=com")
        + person("Zo\u00eb", "ou=people," + ONE)
        + entry(
            "cn=policy," + ONE,
            "objectClass: device",
            "objectClass: pwdPolicy",
            "cn: policy",
            "pwdAttribute: userPassword",
            "pwdMinLength: 8")
        + entry(
            "cn=group," + ONE,
            "objectClass: groupOfNames",
            "cn: group",
            "member: cn=alice,ou=people," + ONE,
            "member: cn=Zo\u00eb,ou=people," + ONE)
        + entry(
            "ou=elsewhere," + ONE,
            "objectClass: referral",
            "objectClass: extensibleObject",
            "ou: elsewhere",
            "ref: ldap://other.example.com/ou=elsewhere,dc=example,dc=com")
        + entry(
            "cn=alias," + ONE,
            "objectClass: alias",
            "objectClass: extensibleObject",
            "cn: alias",
            "aliasedObjectName: cn=alice,ou=people," + ONE)
        + entry(TWO, "objectClass: organization", "o: Works", "contextCSN: " + SECOND)
        + person("bob", TWO)
        + entry(
            "cn=staff," + TWO, "objectClass: groupOfNames", "cn: staff", "member: cn=bob," + TWO);
  }

  private static void change(LDAPConnection root) throws LDAPException, LDIFException {
    root.modify(
        "cn=group," + ONE,
        new Modification(ModificationType.DELETE, "member", "cn=Zo\u00eb,ou=people," + ONE));
    root.add("dn: ou=late," + ONE, "objectClass: organizationalUnit", "ou: late");
    root.modifyDN("cn=alice,ou=people," + ONE, "cn=Alicia", true, "ou=late," + ONE);
    root.modify("cn=bob," + TWO, new Modification(ModificationType.ADD, "description", "changed"));
    root.add(
        "dn: cn=more," + TWO, "objectClass: groupOfNames", "cn: more", "member: cn=bob," + TWO);
  }

  private static List<String> contextCsns(LDAPConnection client, String suffix)
      throws LDAPException {
    String[] values = client.getEntry(suffix, "contextCSN").getAttributeValues("contextCSN");
    return List.of(values).stream().sorted().toList();
  }

  private void run(String... command) throws IOException, InterruptedException {
    Processes.run(folder, Map.of(), List.of(command)).shouldSucceed();
  }

  @Test
  void shouldGoBackToSlapd() throws Exception {
    String here = folder.toString();
    Files.createDirectories(folder.resolve("schema"));
    Files.writeString(folder.resolve("schema/works.schema"), SCHEMA);
    for (String each : List.of("one", "two", "back")) {
      Files.createDirectories(folder.resolve(each));
    }
    Files.writeString(folder.resolve("slapd.conf"), SLAPD.replace("FOLDER", here));
    Files.writeString(folder.resolve("data.ldif"), data());
    String configuration = CONFIGURATION.replace("FOLDER", here);
    Path conf = ServerProcess.configure(folder, configuration);
    nyala.shouldSucceed(conf, "import", here + "/data.ldif");

    List<String> one;
    List<String> two;
    try (RunningServer server = LocalServer.start(folder, configuration);
        LDAPConnection root = LocalServer.connectAsRoot(server)) {
      change(root);
      one = contextCsns(root, ONE);
      two = contextCsns(root, TWO);
      assertThat(one).hasSize(2).contains(FIRST);
      nyala.shouldSucceed(conf, "export", "--split=" + here + "/back", "--member-of=computed");
    }
    assertThat(nyala.out().lines())
        .containsExactly(
            here + "/back/dc=example,dc=com.ldif: " + ONE, here + "/back/o=Works.ldif: " + TWO);

    run(
        "/usr/sbin/slapadd",
        "-f",
        here + "/slapd.conf",
        "-n",
        "1",
        "-l",
        here + "/back/dc=example,dc=com.ldif");
    run(
        "/usr/sbin/slapadd",
        "-f",
        here + "/slapd.conf",
        "-n",
        "2",
        "-l",
        here + "/back/o=Works.ldif");
    for (String number : List.of("1", "2")) {
      run(
          "/usr/sbin/slapcat",
          "-f",
          here + "/slapd.conf",
          "-n",
          number,
          "-l",
          here + "/cat" + number);
    }
    for (String[] pair : new String[][] {{"cat1", "dc=example,dc=com"}, {"cat2", "o=Works"}}) {
      assertThat(
              nyala.run(
                  conf,
                  "compare",
                  here + "/" + pair[0],
                  here + "/back/" + pair[1] + ".ldif",
                  "--operational"))
          .as(nyala.out() + nyala.err())
          .isEqualTo(ExitCode.OK);
    }
    String first = Files.readString(folder.resolve("cat1"));
    assertThat(first).contains("\nmemberOf: cn=group,dc=example,dc=com\n").doesNotContain("frozen");
    assertThat(Files.readString(folder.resolve("cat2")))
        .contains("\nmemberOf: cn=staff,o=Works\n", "\nmemberOf: cn=more,o=Works\n");
    shouldHaveContextCsns(one, two);
  }

  private void shouldHaveContextCsns(List<String> one, List<String> two) throws Exception {
    int port = FreePorts.take();
    Path log = folder.resolve("slapd.log");
    Process slapd =
        Processes.start(
            folder,
            Map.of(),
            List.of(
                "/usr/sbin/slapd",
                "-d",
                "none",
                "-f",
                folder.resolve("slapd.conf").toString(),
                "-h",
                "ldap://127.0.0.1:" + port),
            log,
            log);
    try {
      eventually(
          "slapd listens",
          () -> {
            try (LDAPConnection client = new LDAPConnection("127.0.0.1", port)) {
              return contextCsns(client, ONE).equals(one) && contextCsns(client, TWO).equals(two);
            } catch (LDAPException e) {
              return false;
            }
          });
    } finally {
      slapd.destroy();
      slapd.waitFor();
    }
  }
}
