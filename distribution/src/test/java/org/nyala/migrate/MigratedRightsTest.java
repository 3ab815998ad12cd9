package org.nyala.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.migrate.MigratedText.STORE;
import static org.nyala.migrate.MigratedText.notes;
import static org.nyala.migrate.MigratedText.read;

import com.typesafe.config.Config;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.slapd.InvalidSlapdFileException;
import org.nyala.error.Installation;
import org.nyala.migrate.MigrationNote.Kind;
import org.nyala.server.ConfigurationCheck;

/** Tests that nobody gets more by a migrated configuration, or by a hostile one, without a word. */
class MigratedRightsTest {
  private static final String LDIF =
      """
      dn: cn=config
      cn: config

      dn: olcDatabase={1}mdb,cn=config
      olcDatabase: {1}mdb
      olcSuffix: dc=example,dc=com
      """;

  @TempDir Path folder;

  private Migration migrate(String text) throws IOException, InvalidSlapdFileException {
    String name = text.startsWith("dn:") ? "config.ldif" : "slapd.conf";
    Path file = Files.writeString(folder.resolve(name), text);
    return Migration.of(
        file,
        Set.of(),
        Placement.DEFAULT,
        new Installation(Optional.empty()),
        ConfigurationCheck::run);
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void shouldTakeDirectivesOfTheServerBehindDatabasesAndOverlays() throws Exception {
    Migration migration =
        migrate(
            STORE
                + """
                overlay memberof
                memberof-member-ad member
                memberof-group-oc groupOfNames
                memberof-refint off
                TLSCertificateFile /etc/ldap/server.pem
                TLSCertificateKeyFile /etc/ldap/key.pem
                TLSCACertificateFile /etc/ldap/ca.pem
                TLSVerifyClient demand
                authz-regexp "uid=([^,]*),cn=plain,cn=auth" "uid=$1,dc=example,dc=com"
                """);

    Config read = read(migration);
    assertThat(read.getString("tls.clientCertificate")).isEqualTo("required");
    assertThat(read.getConfigList("sasl.map")).hasSize(1);
    assertThat(notes(migration, Kind.MISSING)).isEmpty();
    assertThat(notes(migrate(STORE + "disallow bind_anon\n"), Kind.MISSING))
        .singleElement()
        .asString()
        .startsWith("slapd.conf:3: disallow: bind_anon: not refused");
  }

  @Test
  void shouldTellOfCertificatesInTheConfigurationItself() throws Exception {
    Migration migration =
        migrate(
            LDIF.replace("cn: config", "olcTLSCertificateKey;binary:: " + base64("very secret"))
                + "olcRequires: authc\n");

    assertThat(notes(migration, Kind.MISSING))
        .singleElement()
        .asString()
        .startsWith("config.ldif:2: olcTLSCertificateKey;binary: write it to the file of tls.key");
    assertThat(notes(migrate("allow update_anon\n" + STORE), Kind.MISSING)).hasSize(1);
  }

  @Test
  void shouldKeepThePolicyOfAnOverlayAboveAllDatabases() throws Exception {
    String policy = "cn=default,dc=example,dc=com";
    Migration migration =
        migrate("database frontend\noverlay ppolicy\nppolicy_default " + policy + '\n' + STORE);

    assertThat(read(migration).getString("passwordPolicy.default")).isEqualTo(policy);
  }

  @Test
  void shouldLeaveOutWhatIsDisabled() throws Exception {
    Migration migration =
        migrate(
            LDIF
                + """

                dn: olcOverlay={0}memberof,olcDatabase={1}mdb,cn=config
                olcOverlay: {0}memberof
                olcDisabled: TRUE

                dn: olcDatabase={2}mdb,cn=config
                olcDatabase: {2}mdb
                olcSuffix: o=old
                olcRootDN: cn=admin,o=old
                olcRootPW: secret
                olcDisabled: TRUE
                """);

    assertThat(read(migration).getStringList("suffixes")).containsExactly("dc=example,dc=com");
    assertThat(migration.secrets()).isEmpty();
    assertThat(read(migration).hasPath("memberOf")).isFalse();
    assertThat(notes(migration, Kind.MISSING)).anyMatch(note -> note.contains("it is disabled"));
  }

  @Test
  void shouldTellOfAccountsWithoutADatabaseAndOfPasswordsThatNoFileHas() throws Exception {
    assertThat(notes(migrate("rootdn cn=admin\n" + STORE), Kind.MISSING))
        .singleElement()
        .asString()
        .startsWith("slapd.conf:1: rootdn: an account of no database");

    // The first line alone would be the password.
    Migration migration =
        migrate(LDIF + "olcRootDN: cn=admin\nolcRootPW:: " + base64("a\nlonger one") + '\n');
    assertThat(migration.secrets()).isEmpty();
    assertThat(read(migration).hasPath("root")).isFalse();
    assertThat(notes(migration, Kind.MISSING))
        .anyMatch(note -> note.contains("control characters"))
        .noneMatch(note -> note.contains("longer"));
  }

  @Test
  void shouldNotMakeALimitOfNothingUnlimited() throws Exception {
    assertThat(read(migrate("sizelimit 0\n" + STORE)).getInt("limits.sizeLimit")).isEqualTo(1);
  }

  @Test
  void shouldTellIfProtectionIsLess() throws Exception {
    String tls = "TLSCertificateFile /etc/ldap/server.pem\nTLSCertificateKeyFile /etc/ldap/key\n";
    assertThat(notes(migrate(tls + "TLSProtocolMin 3.4\n" + STORE), Kind.MISSING))
        .singleElement()
        .asString()
        .contains("TLS 1.2 is accepted");
    assertThat(notes(migrate(tls + "TLSProtocolMin 3.3\n" + STORE), Kind.MISSING)).isEmpty();
    assertThat(notes(migrate(tls + "security tls=128\n" + STORE), Kind.DIFFERENT))
        .anyMatch(note -> note.contains("tls=128: protection of every kind counts"));
  }

  @Test
  void shouldKeepValuesUniqueBelowEverySuffix() throws Exception {
    Migration migration =
        migrate(
            STORE
                + """
                suffix o=second
                overlay unique
                unique_uri ldap:///?uid?sub
                unique_uri ldap:///ou=%zz?mail?sub
                database mdb
                suffix o=other
                """);

    assertThat(read(migration).getConfigList("uniqueness"))
        .extracting(rule -> rule.getString("base"))
        .containsExactly("dc=example,dc=com", "o=second");
    assertThat(notes(migration, Kind.MISSING))
        .singleElement()
        .asString()
        .startsWith("slapd.conf:6: unique_uri: an URL with a wrong escape");
  }

  @Test
  void shouldKeepDefinitionsOfNamesThatNoFileCanHave() throws Exception {
    StringBuilder text = new StringBuilder(LDIF);
    List<String> names =
        List.of("a b", "a_b", "../a", "00-identifiers", "x".repeat(80), "x".repeat(90));
    for (int i = 0; i < names.size(); i++) {
      text.append("\ndn: cn={").append(i).append('}').append(names.get(i));
      text.append(",cn=schema,cn=config\nolcAttributeTypes: ( 1.3.6.1.4.1.99999.").append(i);
      text.append(" NAME 'own").append(i).append("' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )\n");
    }
    text.append("olcObjectIdentifier: own 1.3.6.1.4.1.99999\n");
    Migration migration = migrate(text.toString());

    String all = String.join("", migration.files(Path.of("/etc/nyala")).values());
    for (int i = 0; i < names.size(); i++) {
      assertThat(all).contains("'own" + i + "'");
    }
    assertThat(migration.files(Path.of("/etc/nyala")).keySet())
        .allMatch(name -> name.matches("[a-z.]+|schema/[A-Za-z0-9_-]+[.]schema"));
  }

  @Test
  void shouldTakeValuesAsTheyAre() throws Exception {
    String hostile = "/etc/\"${user.home}\\\n}, nyala.root { dn = \"cn=x\"";
    Migration migration =
        migrate(
            LDIF.replace("cn: config", "olcTLSCertificateFile:: " + base64(hostile))
                + "olcRootDN:: "
                + base64("cn=${user.home}\n\"#")
                + "\nolcRootPW: secret\n");

    assertThat(read(migration).getString("tls.certificate")).isEqualTo(hostile);
    assertThat(read(migration).getString("root.dn")).isEqualTo("cn=${user.home}\n\"#");
    assertThat(read(migration).root().keySet())
        .containsExactlyInAnyOrderElementsOf(
            Set.of("tls", "listeners", "suffixes", "serverId", "root", "access", "limits"));
    assertThat(migration.notes()).noneMatch(note -> note.toString().contains("\n"));
  }

  @Test
  void shouldNotShowPasswordsInComments() throws Exception {
    Migration migration =
        migrate(
            STORE
                + """
                # Everybody reads.
                # rootpw wonderful
                #syncrepl rid=1 credentials=wonderful
                # formerly {SSHA}wonderful
                access to * by * read
                """);

    assertThat(migration.rules().text()).contains("Everybody reads").doesNotContain("wonderful");
  }
}
