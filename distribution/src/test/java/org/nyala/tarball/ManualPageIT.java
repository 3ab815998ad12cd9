package org.nyala.tarball;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.nyala.sasl.TestKeytab;

/** Types the manual, with one directory from its first command to the recipes of its last part. */
class ManualPageIT extends PageTestCase {
  private static final String CONFIGURATION =
      """
      nyala {
        listeners = ["ldap://127.0.0.1:1389", "ldapi://FOLDER/run/nyala/ldapi"]
        suffixes = ["dc=example,dc=com", "dc=old,dc=org"]
        root { dn = "cn=admin,dc=example,dc=com", passwordFile = "conf/root-password" }
        access.writers = ["uid=ada,ou=People,dc=example,dc=com"]
        tls { certificate = "conf/own.pem", key = "conf/own.key" }
        sasl.map = [{
          mechanism = EXTERNAL, match = "gidNumber=0\\\\+uidNumber=0,cn=peercred,cn=external,cn=auth"
          dn = "cn=admin,dc=example,dc=com"
        }]
        password.scheme = SSHA512
        password.upgradeAtBind = false
        passwordPolicy { default = "cn=policy,dc=example,dc=com", lastBind = true }
        dynamicEntries.enabled = true
        management {
          http = "127.0.0.1:9339"
          jmx = "127.0.0.1:9340", jmxTls = true
          jmxAdmin { user = admin, passwordFile = "conf/jmx-admin-password" }
          jmxMonitor { user = monitor, passwordFile = "conf/jmx-monitor-password" }
        }
      }
      """;

  private static final String CONTAINERS =
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

      dn: ou=policies,dc=example,dc=com
      objectClass: organizationalUnit
      ou: policies

      dn: ou=calls,dc=example,dc=com
      objectClass: organizationalUnit
      ou: calls

      dn: dc=old,dc=org
      objectClass: domain
      dc: old

      """;

  private static final String PERSON =
      """
      dn: uid=%1$s,ou=People,dc=example,dc=com
      objectClass: inetOrgPerson
      cn: User %1$s
      sn: User
      uid: %1$s
      userPassword: %2$s
      mail: %3$s@example.com
      l: %4$s
      employeeType: %5$s

      """;

  private static final String GROUP =
      """
      dn: cn=%1$s,dc=example,dc=com
      objectClass: groupOfNames
      cn: %1$s
      member: uid=u1,ou=People,dc=example,dc=com
      """;

  private static final String CALL =
      """
      dn: cn=call,ou=calls,dc=example,dc=com
      objectClass: device
      objectClass: dynamicObject
      cn: call
      """;

  ManualPageIT() throws IOException {
    super("manual.adoc");
  }

  private static String people(String scram) {
    StringBuilder ldif = new StringBuilder(CONTAINERS);
    for (int i = 0; i < 60; i++) {
      ldif.append(
          PERSON.formatted(
              "u" + i,
              PASSWORD,
              "u" + (i == 7 ? 5 : i),
              i % 3 == 0 ? "Bonn" : "Trier",
              i % 4 == 0 ? "guest" : "staff"));
    }
    ldif.append(PERSON.formatted("ann", scram, "ann", "Trier", "staff"));
    ldif.append(PERSON.formatted("bob", PASSWORD, "bob", "Trier", "staff"));
    ldif.append(PERSON.formatted("ada", PASSWORD, "ada", "Trier", "staff"));
    return ldif.append(GROUP.formatted("team")).toString();
  }

  private void prepare() throws Exception {
    certify("opt/own");
    for (String each : List.of("own", "server")) {
      // The page makes conf/server.pem, and shows it as that of a configuration before that.
      Files.copy(folder.resolve("opt/own.pem"), home.resolve("conf/" + each + ".pem"));
      Files.copy(folder.resolve("opt/own.key"), home.resolve("conf/" + each + ".key"));
    }
    Files.copy(folder.resolve("opt/own.pem"), home.resolve("ca.pem"));
    Files.copy(folder.resolve("opt/own.pem"), home.resolve("conf/client-ca.pem"));
    write("opt/ca.conf", "[ca]\ndefault_ca = d\n[d]\ndatabase = index\ndefault_md = sha256\n");
    typist.type(
        "(cd .. && : >index && openssl ca -gencrl -config ca.conf -crldays 30 -cert own.pem"
            + " -keyfile own.key -out "
            + home
            + "/conf/client-crl)");
    TestKeytab.write(home.resolve("conf/ldap.keytab"), "ldap/localhost@EXAMPLE.COM");
    writePasswordFiles(CONFIGURATION);
    for (String each : List.of("admin-password", "password", "root.txt")) {
      Files.writeString(home.resolve(each), PASSWORD + "\n");
    }
    Files.writeString(home.resolve("new.txt"), "known\n");
    write("run/secrets/root", PASSWORD + "\n");
    write(
        "etc/nyala/schema/own.schema",
        "attributetype ( 1.3.6.1.4.1.55555.2 NAME 'sshPublicKey' EQUALITY octetStringMatch SYNTAX"
            + " 1.3.6.1.4.1.1466.115.121.1.40 )\n");
    write("srv/nyala/x", "");
    write("run/nyala/x", "");
    write("backups/x", "");
    write("var/lib/nyala/backups/x", "");
    Files.writeString(
        home.resolve("conf/nyala.conf"), CONFIGURATION.replace("FOLDER", folder.toString()));
    String scram =
        typist
            .type("echo " + PASSWORD + " | bin/nyala password --scheme SCRAM-SHA-256")
            .replaceAll("(?s).*(\\{SCRAM\\S+).*", "$1");
    Files.writeString(home.resolve("people.ldif"), people(scram));
    Files.writeString(home.resolve("old.ldif"), people(scram));
    Files.writeString(home.resolve("groups.ldif"), GROUP.formatted("crew"));
    Files.writeString(
        home.resolve("pwned-passwords-sha1.txt"), "0018A45C4D1DEF81644B54AB7F969B88D65DE4DA:7\n");
    typist.type("echo secret | gzip >words.gz");
    program("nyala", "exec " + home + "/bin/nyala \"$@\"");
    move(
        "/srv/nyala", "/backups", "/var/lib/nyala", "/etc/nyala", "/run/secrets", "/tmp/nyala.jfr");
    String socket = (folder + "/run/nyala/ldapi").replace("/", "%2F");
    replacements.put("ldapi://%2Frun%2Fnyala%2Fldapi", "ldapi://" + socket);
    replacements.put("ldapi:///", "ldapi://" + socket);
    replacements.put("ldaps://old.example.com", "ldap://127.0.0.1:1389");
    replacements.put("ldap.example.com", "localhost");
    replacements.put("192.0.2.7", "127.0.0.1");
    replacements.put("-w secret", "-w " + PASSWORD);
    replacements.put("PID", "$(cat data/run/nyala.pid)");
    replacements.put("--seconds 30", "--seconds 1");
    replacements.put("/home/chief", home.toString());
    replacements.put("sample 100000", "sample 1000");
    replacements.put("3 d 4:05:06", "…");
  }

  @Test
  void shouldWorkAsThePageSays() throws Exception {
    prepare();
    runUntil("bin/nyala compare");
    typist.type("bin/nyala start");
    runUntil("bin/nyala changes");
    rememberChange();
    runUntil("bin/nyala tls make");
    Files.delete(home.resolve("conf/server.pem"));
    Files.delete(home.resolve("conf/server.key"));
    runUntil("ldapexop");
    Path call = write("call.ldif", CALL);
    typist.type("ldapadd -x -D cn=admin,dc=example,dc=com -w " + PASSWORD + " -f " + call);
    end();
    shouldHaveDoneTheTasks();
  }

  /** The other naming context is that of recipes alone, and the data have it. */
  @Override
  String checkedConfiguration() throws IOException {
    return super.checkedConfiguration().replace(", \"dc=old,dc=org\"", "")
        + "nyala.data = checked\n";
  }

  /** Has the page know a place in the journal. */
  private void rememberChange() throws Exception {
    String change =
        "dn: cn=team,dc=example,dc=com\nchangetype: modify\nadd: description\ndescription: ";
    for (String each : List.of("one", "two")) {
      Path file = write("change.ldif", change + each + "\n");
      typist.type("ldapmodify -x -D cn=admin,dc=example,dc=com -w " + PASSWORD + " -f " + file);
    }
    Matcher cookie = Pattern.compile("rid=000,csn=\\S+").matcher(typist.type("bin/nyala changes"));
    assertThat(cookie.find()).isTrue();
    replacements.put("rid=000,csn=20260131120000.123456Z#000000#001#000000", cookie.group());
  }

  private void shouldHaveDoneTheTasks() throws Exception {
    String shown =
        typist.type(
            "bin/nyala export --base dc=example,dc=net",
            "bin/nyala modify --base dc=example,dc=net --filter '(uid=u1)' --replace l=Köln"
                + " --bind-dn cn=admin,dc=example,dc=net --password-file new.txt");
    assertThat(shown)
        .contains(
            "member: uid=u1,ou=People,dc=example,dc=net",
            "pwdReset: TRUE",
            "1 entries were changed")
        .doesNotContain("dc=example,dc=com", "dc=old");
  }
}
