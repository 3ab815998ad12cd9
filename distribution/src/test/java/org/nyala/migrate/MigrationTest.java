package org.nyala.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.migrate.MigratedText.STORE;
import static org.nyala.migrate.MigratedText.notes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.slapd.InvalidSlapdFileException;
import org.nyala.error.CommandException;
import org.nyala.error.Installation;
import org.nyala.migrate.MigrationNote.Kind;
import org.nyala.server.ConfigurationCheck;

/** Tests the translation of slapd's directives, one after the other. */
class MigrationTest {
  @TempDir Path folder;

  private Migration migrate(String conf) throws IOException, InvalidSlapdFileException {
    Path file = Files.writeString(folder.resolve("slapd.conf"), conf);
    return Migration.of(
        file,
        Set.of(2),
        Placement.DEFAULT,
        new Installation(Optional.empty()),
        ConfigurationCheck::run);
  }

  private static List<String> lines(Migration migration) {
    return migration.configuration(Path.of("/etc/nyala")).lines().map(String::strip).toList();
  }

  @Test
  void shouldMakeAConfigurationThatCanBeUsedFromTheLeast() throws Exception {
    Migration migration = migrate(STORE);

    assertThat(migration.fault()).isEmpty();
    assertThat(lines(migration))
        .contains(
            "suffixes = [\"dc=example,dc=com\"]",
            "serverId = 1",
            "limits.sizeLimit = 500",
            "access.rules = \"/etc/nyala/access.rules\"");
    assertThat(notes(migration, Kind.MISSING)).isEmpty();
    assertThat(migration.files(Path.of("/etc/nyala")))
        .containsOnlyKeys("nyala.conf", "access.rules");
  }

  @Test
  void shouldChooseANumberThatNoServerHas() throws Exception {
    assertThat(lines(migrate("serverID 1\nserverID 0x3 ldap://a\n" + STORE)))
        .contains("serverId = 4");
  }

  @Test
  void shouldTakeTheLargestLimitOfAllDatabases() throws Exception {
    Migration migration =
        migrate(
            """
            sizelimit 100
            timelimit time.soft=10 time.hard=60
            idletimeout 90
            writetimeout 0
            maxfilterdepth 1000
            database mdb
            suffix dc=a
            sizelimit size.soft=5 size.hard=soft size.unchecked=7000
            maxderefdepth 3
            database mdb
            suffix dc=b
            """);

    assertThat(migration.fault()).isEmpty();
    assertThat(lines(migration))
        .contains(
            "limits.sizeLimit = 100",
            "limits.timeLimitSeconds = 60",
            "limits.lookThroughLimit = 7000",
            "limits.idleTimeoutSeconds = 90",
            "limits.aliasDepth = 3")
        .noneMatch(line -> line.contains("writeStall"));
    assertThat(lines(migrate("sizelimit unlimited\n" + STORE))).contains("limits.sizeLimit = 0");
  }

  @Test
  void shouldTranslateTheFilesOfTls() throws Exception {
    Migration migration =
        migrate(
            """
            TLSCertificateFile /etc/ldap/server.pem
            TLSCertificateKeyFile "/etc/ldap/a key.pem"
            TLSCACertificateFile /etc/ldap/ca.pem
            TLSVerifyClient demand
            security simple_bind=128 update_ssf=56 sasl=7
            """
                + STORE);

    assertThat(migration.fault()).isEmpty();
    assertThat(lines(migration))
        .contains(
            "listeners = [\"ldap://127.0.0.1:1389\", \"ldaps://127.0.0.1:1636\"]",
            "tls.certificate = \"/etc/ldap/server.pem\"",
            "tls.key = \"/etc/ldap/a key.pem\"",
            "tls.clientCa = \"/etc/ldap/ca.pem\"",
            "tls.clientCertificate = required",
            "security.minimumStrength.simpleBind = 128",
            "security.minimumStrength.write = 56");
    assertThat(notes(migration, Kind.MISSING))
        .singleElement()
        .asString()
        .startsWith("slapd.conf:5: security: sasl=7");
  }

  @Test
  void shouldNotPromiseEncryptionWithoutACertificate() throws Exception {
    Migration migration = migrate("security ssf=128\n" + STORE);

    assertThat(migration.fault()).isEmpty();
    assertThat(notes(migration, Kind.MISSING))
        .singleElement()
        .asString()
        .contains("needs tls.certificate");
  }

  @Test
  void shouldRefuseUnboundClientsWhereSlapdDoes() throws Exception {
    Migration migration = migrate("require authc\n" + STORE + "access to * by * read\n");

    assertThat(migration.rules().text())
        .contains(
            """
            to subtree "dc=example,dc=com"
              anonymous may only authenticate
              others may read, authenticate
            """);
  }

  @Test
  void shouldMapTheNamesOfSasl() throws Exception {
    Migration migration =
        migrate(
            """
            authz-regexp "uid=([^,]*),cn=[^,]*,cn=auth" "uid=$1,dc=example,dc=com"
            authz-regexp "uid=([^,]*),cn=plain,cn=auth" "ldap:///dc=example,dc=com??sub?(uid=$1)"
            authz-regexp "uid=([^,]*),cn=gssapi,cn=auth" "uid=$1,dc=example,dc=com"
            authz-regexp "cn=(.*),o=acme" "uid=$1,dc=example,dc=com"
            authz-regexp "gidNumber=0\\\\+uidNumber=0,cn=peercred,cn=external,cn=auth" "cn=admin"
            """
                + STORE);

    assertThat(migration.fault()).isEmpty();
    assertThat(lines(migration))
        .contains(
            "{ match = \"([^,]*)\", dn = \"uid=$1,dc=example,dc=com\" },",
            "{ mechanism = PLAIN, match = \"([^,]*)\", search ="
                + " \"ldap:///dc=example,dc=com??sub?(uid=$1)\" },",
            "{ mechanism = EXTERNAL, match = \"gidNumber=0\\\\+uidNumber=0,cn=peercred,cn=external,"
                + "cn=auth\", dn = \"cn=admin\" }");
    assertThat(notes(migration, Kind.MISSING))
        .singleElement()
        .asString()
        .startsWith("slapd.conf:3: authz-regexp: write a rule of sasl.map");
    assertThat(lines(migration))
        .contains(
            "{ mechanism = EXTERNAL, match = \"(?i)cn=(.*),o=acme\", dn ="
                + " \"uid=$1,dc=example,dc=com\" },");
  }

  @Test
  void shouldMapTheNamesOfKerberosWithTheirRealm() throws Exception {
    Migration migration =
        migrate(
            """
            sasl-realm EXAMPLE.COM
            authz-regexp "^uid=([^,]+),cn=gssapi,cn=auth$" "uid=$1,dc=example,dc=com"
            authz-regexp "uid=([^,/]*),cn=other\\.org,cn=gssapi,cn=auth" "uid=$1,o=other"
            """
                + STORE);

    assertThat(lines(migration))
        .contains(
            "{ mechanism = GSSAPI, match = \"([^,]+)@EXAMPLE\\\\.COM\", dn ="
                + " \"uid=$1,dc=example,dc=com\" },",
            "{ mechanism = GSSAPI, match = \"([^,/]*)@OTHER\\\\.ORG\", dn ="
                + " \"uid=$1,o=other\" }");
    assertThat(notes(migration, Kind.MISSING)).isEmpty();
  }

  @Test
  void shouldTranslateOverlays() throws Exception {
    Migration migration =
        migrate(
            STORE
                + """
                index objectClass eq
                index cn,sn pres,eq,approx,sub
                index default sub
                index mail
                index nowhere eq
                overlay memberof
                memberof-refint TRUE
                memberof-dangling error
                overlay refint
                refint_attributes seeAlso manager
                overlay unique
                unique_uri ldap:///ou=people,dc=example,dc=com?uid,mail?sub?objectClass=person
                unique_uri serialize ldap:///?employeeNumber?one
                unique_uri ldap:///??sub
                overlay ppolicy
                ppolicy_default cn=default,dc=example,dc=com
                ppolicy_use_lockout
                overlay auditlog
                auditlog /var/log/audit.ldif
                overlay syncprov
                overlay constraint
                constraint_attribute mail regex ^.*@example.com$
                overlay rot13
                """);

    assertThat(migration.fault()).isEmpty();
    assertThat(lines(migration))
        .contains(
            "memberOf.enabled = true",
            "memberOf.groupAttributes = [\"member\"]",
            "referentialIntegrity.attributes = [\"member\", \"seeAlso\", \"manager\"]",
            "referentialIntegrity.followMissing = true",
            "referentialIntegrity.lastValue = keep",
            "{ attributes = [\"uid\", \"mail\"], base = \"ou=people,dc=example,dc=com\", filter ="
                + " \"(objectClass=person)\" },",
            "{ attributes = [\"employeeNumber\"] }",
            "{ attributes = [\"mail\"], regex = \"^.*@example.com$\" }",
            "passwordPolicy.default = \"cn=default,dc=example,dc=com\"",
            "passwordPolicy.tellLocked = true",
            "passwordPolicy.netscapeControls = false",
            "passwordPolicy.alwaysNoteChange = true",
            "log.audit.enabled = true",
            "\"cn\" = [pres, eq, sub]",
            "\"mail\" = [sub, eq]",
            "\"employeeNumber\" = [eq]",
            "\"manager\" = [eq]");
    assertThat(notes(migration, Kind.MISSING))
        .anyMatch(note -> note.contains("memberof-dangling"))
        .anyMatch(note -> note.contains("'nowhere'"))
        .anyMatch(note -> note.contains("name the attributes that are to be unique"))
        .anyMatch(note -> note.contains("overlay rot13: not known here"));
  }

  @Test
  void shouldGiveEachPolicyToItsPart() throws Exception {
    Migration migration =
        migrate(
            STORE
                + """
                overlay ppolicy
                ppolicy_default cn=default,dc=example,dc=com
                database mdb
                suffix o=partners
                """);

    assertThat(lines(migration))
        .contains("{ subtree = \"dc=example,dc=com\", policy = \"cn=default,dc=example,dc=com\" }");
  }

  @Test
  void shouldTellThatChangesAreAcceptedInADatabaseThatWasReadOnly() throws Exception {
    Migration one = migrate(STORE + "readonly on\ndatabase mdb\nsuffix o=partners\n");
    assertThat(lines(one)).noneMatch(line -> line.startsWith("readOnly"));
    assertThat(notes(one, Kind.MISSING)).anyMatch(note -> note.contains("changes are accepted"));
    assertThat(lines(migrate(STORE + "readonly on\n"))).contains("readOnly = true");
  }

  @Test
  void shouldNameEverythingThatIsNotMoved() throws Exception {
    Migration migration =
        migrate(
            """
            include /nowhere/acme.schema
            referral ldap://root.example.com
            frobnicate 7
            """
                + STORE
                + """
                syncrepl rid=1 provider=ldap://a credentials=secret searchbase=ou=a
                database relay
                suffix dc=relay
                database monitor
                """);

    assertThat(notes(migration, Kind.MISSING))
        .anyMatch(note -> note.startsWith("slapd.conf:1: include: '/nowhere/acme.schema'"))
        .anyMatch(note -> note.startsWith("slapd.conf:2: referral"))
        .anyMatch(note -> note.startsWith("slapd.conf:3: frobnicate: not known here"))
        .anyMatch(note -> note.startsWith("slapd.conf:6: syncrepl: a part of a naming"))
        .anyMatch(note -> note.contains("database relay: entries below dc=relay"))
        .noneMatch(note -> note.contains("secret"));
  }

  @Test
  void shouldTellOfTheAccountAndTheLimitsOfTheMonitor() throws Exception {
    String monitor = "database monitor\nrootdn cn=exporter,cn=Monitor\n";
    Migration migration = migrate(STORE + monitor + "rootpw secret\nlimits users size=5\n");

    assertThat(notes(migration, Kind.DIFFERENT))
        .anyMatch(note -> note.contains("rootdn: this account cannot log in here"))
        .noneMatch(note -> note.contains("secret"));
    assertThat(migration.rules().unsaid())
        .extracting(Object::toString)
        .anyMatch(
            each ->
                each.contains("a limit of cn=Monitor or cn=config alone: limits have no place"));
    assertThat(notes(migrate(STORE + monitor), Kind.DIFFERENT))
        .noneMatch(note -> note.contains("cannot log in here"));
  }

  @Test
  void shouldSayWhatToAddIfNobodyIsRootOfEverything() throws Exception {
    Migration migration = migrate(STORE + "database monitor\naccess to * by users read\n");

    assertThat(notes(migration, Kind.DIFFERENT))
        .anyMatch(
            note ->
                note.startsWith(
                    "root of everything: none: access.rules alone says who reads cn=Monitor"))
        .anyMatch(note -> note.contains("whom the rules of this database let read it"));
    assertThat(migration.rules().unsaid()).isEmpty();
    assertThat(migration.rules().text())
        .containsSubsequence("to subtree \"cn=Monitor\"", "users may read");
    String root = "rootdn cn=admin,dc=example,dc=com\nrootpw secret\n";
    assertThat(notes(migrate(STORE + root), Kind.DIFFERENT))
        .noneMatch(note -> note.contains("root of everything"));
  }

  @Test
  void shouldCopyDefinitionsThatAreNotShipped() throws Exception {
    Path local = folder.resolve("local.schema");
    Files.writeString(
        local,
        """
        # Badges.
        objectidentifier local 1.3.6.1.4.1.99999
        attributetype ( local:1 NAME 'badge' EQUALITY caseIgnoreMatch
          SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
        """);
    Migration migration =
        migrate(
            "include "
                + local
                + "\nobjectclass ( local:2 NAME 'badged' AUXILIARY MAY badge )\n"
                + STORE
                + "index badge eq\n");

    assertThat(migration.fault()).isEmpty();
    assertThat(migration.files(Path.of("/etc/nyala")))
        .containsKeys("schema/local.schema", "schema/slapd.schema", "schema/00-identifiers.schema");
    assertThat(lines(migration))
        .contains("schema.folders = [\"/etc/nyala/schema\"]", "\"badge\" = [eq]");
  }

  @Test
  void shouldKeepThePasswordOfRootInAFileOfItsOwner() throws Exception {
    Migration migration =
        migrate(STORE + "rootdn cn=admin,dc=example,dc=com\nrootpw \"very secret\"\n");
    Path target = folder.resolve("etc \"x\"");

    MigrationFolder.fill(target, migration, "report.txt", List.of("all is well"));

    assertThat(migration.fault()).isEmpty();
    assertThat(target.resolve("root-password")).hasContent("very secret");
    assertThat(Files.getPosixFilePermissions(target.resolve("root-password"))).hasSize(2);
    assertThat(Files.readString(target.resolve("nyala.conf"))).doesNotContain("very secret");
    assertThat(new MigrationReport(migration, List.of()).lines().toString())
        .doesNotContain("very secret");
    assertThatThrownBy(() -> MigrationFolder.fill(target, migration, "report.txt", List.of()))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("is there already");
  }

  @Test
  void shouldRefuseAConfigurationWithoutData() {
    assertThatThrownBy(() -> migrate("database monitor\n"))
        .isInstanceOf(CommandException.class)
        .hasMessage("slapd.conf has no database with a suffix: nothing to move");
  }
}
