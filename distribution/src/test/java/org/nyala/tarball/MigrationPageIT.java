package org.nyala.tarball;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nyala.move.SlapdInstallation;
import org.nyala.process.DocumentedPage.Block;

/** Types the page about the move from OpenLDAP, beside servers of Debian's slapd. */
class MigrationPageIT extends PageTestCase {
  /** The first command of the part in which both servers run. */
  private static final String MOVE = "ldapadd -x -H ldaps://old.example.com";

  private static final String OLD =
      """
      include /etc/ldap/schema/core.schema
      include /etc/ldap/schema/cosine.schema
      include /etc/ldap/schema/inetorgperson.schema
      pidfile FOLDER/mdb/slapd.pid
      modulepath /usr/lib/ldap
      moduleload back_mdb
      TLSCertificateFile FOLDER/etc/ldap/ca.pem
      TLSCertificateKeyFile FOLDER/etc/ldap/ca.key
      database config
      rootpw config
      database mdb
      suffix dc=example,dc=com
      rootdn cn=admin,dc=example,dc=com
      rootpw capstan
      directory FOLDER/mdb
      maxsize 16777216
      index objectClass eq
      access to attrs=userPassword by self write by anonymous auth
      access to * by users read
      """;

  private static final String DATA =
      """
      dn: dc=example,dc=com
      objectClass: domain
      dc: example

      dn: uid=ada,dc=example,dc=com
      objectClass: inetOrgPerson
      uid: ada
      cn: Ada Lovelace
      sn: Lovelace
      userPassword: analytical
      """;

  MigrationPageIT() throws IOException {
    super("migration.adoc");
  }

  @Override
  String password(String question, String command) {
    return command.contains("-D cn=config") ? "config" : PASSWORD;
  }

  @Test
  void shouldWorkAsThePageSays() throws Exception {
    try (SlapdInstallation slapd =
            SlapdInstallation.make(Files.createDirectory(folder.resolve("old")));
        SlapdInstallation again =
            SlapdInstallation.empty(Files.createDirectory(folder.resolve("again")))) {
      program("slapcat", "exec /usr/sbin/slapcat -F " + slapd.configurationFolder() + " \"$@\"");
      program("slapadd", "exec /usr/sbin/slapadd -F " + again.configurationFolder() + " \"$@\"");
      for (String each : List.of("etc", "var/lib", "var/log", "run")) {
        Files.createDirectories(folder.resolve(each));
      }
      move("/etc/nyala", "/var/lib/nyala", "/var/log/nyala", "/run/nyala", "/etc/ldap/ca.pem");
      replacements.put("chown -R root:nyala", "chown -R $(id -u):$(id -g)");
      runUntil(MOVE);
    }
    prepareMove();
    end();
  }

  /** Starts a slapd without replication, and makes the configuration of the server beside it. */
  private void prepareMove() throws Exception {
    certify("etc/ldap/ca");
    Files.copy(folder.resolve("etc/ldap/ca.pem"), home.resolve("conf/ca.pem"));
    Files.copy(folder.resolve("etc/ldap/ca.pem"), home.resolve("conf/server.pem"));
    Files.copy(folder.resolve("etc/ldap/ca.key"), home.resolve("conf/server.key"));
    write("ldap.conf", "TLS_CACERT " + folder + "/etc/ldap/ca.pem\n");
    Path conf = write("slapd.conf", OLD.replace("FOLDER", folder.toString()));
    Path cn = Files.createDirectory(folder.resolve("slapd.d"));
    Files.createDirectory(folder.resolve("mdb"));
    write("data.ldif", DATA);
    typist.type(
        "/usr/sbin/slapadd -f " + conf + " -l " + folder + "/data.ldif",
        "slaptest -f " + conf + " -F " + cn,
        "/usr/sbin/slapd -F " + cn + " -h ldaps://127.0.0.1:2636");
    program("slapcat", "exec /usr/sbin/slapcat -F " + cn + " \"$@\"");
    Files.writeString(home.resolve("replica-password"), PASSWORD);
    Files.writeString(home.resolve("conf/replica-password"), PASSWORD);
    Files.delete(home.resolve("conf/nyala.conf"));
    Files.delete(home.resolve("conf/access.rules"));
    typist.type("bin/nyala migrate " + cn + " --to conf --write || [ $? = 5 ]");
    replacements.put("ldaps://old.example.com", "ldaps://127.0.0.1:2636");
    replacements.put("ldaps://new.example.com", "ldaps://127.0.0.1");
    replacements.put("credentials=PASSWORD", "credentials=" + PASSWORD);
  }

  /** Puts lines into the configuration, as the page says. */
  @Override
  void configuration(Block block) throws IOException {
    Path conf = home.resolve("conf/nyala.conf");
    Files.writeString(conf, Files.readString(conf) + block.file());
  }

  /** Puts rules before those that are there, as the page says. */
  @Override
  void rules(Block block) throws IOException {
    Path rules = home.resolve("conf/access.rules");
    Files.writeString(rules, block.file() + Files.readString(rules));
  }
}
