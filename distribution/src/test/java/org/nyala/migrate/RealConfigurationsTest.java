package org.nyala.migrate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.migrate.MigratedText.STORE;
import static org.nyala.migrate.MigratedText.notes;
import static org.nyala.migrate.MigratedText.read;

import com.typesafe.config.Config;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.slapd.InvalidSlapdFileException;
import org.nyala.migrate.MigrationNote.Kind;

/** Tests what administrators have in their configurations: each result can be used as it is. */
class RealConfigurationsTest {
  @TempDir Path folder;

  private Migration migrate(String text) throws IOException, InvalidSlapdFileException {
    return MigratedText.migrate(folder, text);
  }

  @Test
  void shouldLeaveMemberOfOutOfTheReferences() throws Exception {
    Migration migration =
        migrate(
            STORE
                + """
                index memberOf,uid eq
                overlay memberof
                overlay refint
                refint_attributes memberof member manager owner
                """);

    Config read = read(migration);
    assertThat(read.getStringList("referentialIntegrity.attributes"))
        .containsExactly("member", "manager", "owner");
    assertThat(read.getObject("indexes")).doesNotContainKey("memberOf");
    assertThat(notes(migration, Kind.MISSING)).isEmpty();
    assertThat(read(migrate(STORE + "overlay refint\nrefint_attributes memberOf\n")).root())
        .doesNotContainKey("referentialIntegrity");
  }

  @Test
  void shouldNotWonderAboutTheKeysOfFormerStores() throws Exception {
    Migration conf =
        migrate(
            """
            database hdb
            suffix dc=example,dc=com
            cachesize 1000
            cachefree 1
            dncachesize 0
            idlcachesize 0
            dbconfig set_cachesize 0 2097152 0
            dirtyread
            linearindex
            lockdetect oldest
            shm_key 7
            dbpagesize id2entry 16384
            checksum
            """);
    Migration ldif =
        migrate(
            """
            dn: olcDatabase={1}hdb,cn=config
            olcDatabase: {1}hdb
            olcSuffix: dc=example,dc=com
            olcDbCacheSize: 1000
            olcDbCacheFree: 1
            olcDbConfig: {0}set_cachesize 0 2097152 0
            olcDbChecksum: FALSE
            olcDbDirtyRead: FALSE
            olcDbDNcacheSize: 0
            olcDbIDLcacheSize: 0
            olcDbLinearIndex: FALSE
            olcDbLockDetect: default
            olcDbPageSize: id2entry 16384
            olcDbShmKey: 0
            """);

    assertThat(notes(conf, Kind.MISSING)).isEmpty();
    assertThat(notes(ldif, Kind.MISSING)).isEmpty();
    assertThat(notes(migrate(STORE + "cryptfile /etc/ldap/key\n"), Kind.MISSING))
        .singleElement()
        .asString()
        .contains("not encrypted");
  }

  @Test
  void shouldTakeNumbersThatAreTooGreatOrTooSmall() throws Exception {
    Migration migration =
        migrate(
            """
            sizelimit 2147483647
            timelimit time.hard=99999999999999999999
            idletimeout 2147483647
            conn_max_pending 100000
            sockbuf_max_incoming 512
            sockbuf_max_incoming_auth 4294967295
            """
                + STORE
                + "maxderefdepth 100000\n");

    Config limits = read(migration).getConfig("limits");
    assertThat(limits.getInt("sizeLimit")).isEqualTo(1_000_000_000);
    assertThat(limits.getInt("timeLimitSeconds")).isEqualTo(1_000_000_000);
    assertThat(limits.getInt("idleTimeoutSeconds")).isEqualTo(86_400);
    assertThat(limits.getInt("deferredPerConnection")).isEqualTo(65_536);
    assertThat(limits.getInt("pduLimitAnonymousBytes")).isEqualTo(1_024);
    assertThat(limits.getInt("pduLimitBoundBytes")).isEqualTo(1_000_000_000);
    assertThat(limits.getInt("aliasDepth")).isEqualTo(1_024);
    assertThat(notes(migration, Kind.DIFFERENT))
        .anyMatch(note -> note.startsWith("slapd.conf:3: idletimeout: limits.idleTimeoutSeconds"))
        .anyMatch(note -> note.startsWith("slapd.conf:5: sockbuf_max_incoming:"));
  }

  @Test
  void shouldKeepTheLimitOfBoundClientsAboveThatOfOthers() throws Exception {
    Migration migration = migrate("sockbuf_max_incoming 268435456\n" + STORE);

    assertThat(read(migration).getInt("limits.pduLimitAnonymousBytes")).isEqualTo(268_435_456);
    assertThat(read(migration).getInt("limits.pduLimitBoundBytes")).isEqualTo(268_435_456);
  }

  @Test
  void shouldNotBoundLoggedInClientsAsOthers() throws Exception {
    assertThat(read(migrate("conn_max_pending 5\nconn_max_pending_auth 500\n" + STORE)))
        .extracting(read -> read.getInt("limits.deferredPerConnection"))
        .isEqualTo(500);
  }

  @Test
  void shouldTellOfTheLimitsThatAreLost() throws Exception {
    Migration migration =
        migrate(
            "sizelimit size.soft=10 size.hard=20 size.prtotal=100 size.pr=noEstimate\n" + STORE);

    assertThat(read(migration).getInt("limits.sizeLimit")).isEqualTo(20);
    assertThat(notes(migration, Kind.MISSING))
        .anyMatch(note -> note.startsWith("slapd.conf:1: sizelimit: size.prtotal=100:"));
    assertThat(notes(migration, Kind.DIFFERENT))
        .anyMatch(note -> note.contains("limits.sizeLimit = 20; also for clients that ask for no"));
  }

  @Test
  void shouldNameIndentedDirectives() throws Exception {
    Migration migration = migrate("\n  idletimeout 30\n" + STORE);

    assertThat(notes(migration, Kind.TRANSLATED))
        .contains("slapd.conf:1: idletimeout: limits.idleTimeoutSeconds = 30");
  }

  @Test
  void shouldGiveNoFolderAsTheAuthoritiesOfClients() throws Exception {
    Migration migration =
        migrate(
            """
            TLSCertificateFile /etc/ldap/server.pem
            TLSCertificateKeyFile /etc/ldap/key.pem
            TLSCACertificatePath /etc/ssl/certs
            TLSVerifyClient try
            """
                + STORE);

    assertThat(read(migration).hasPath("tls.clientCa")).isFalse();
    assertThat(read(migration).hasPath("tls.clientCertificate")).isFalse();
    assertThat(notes(migration, Kind.MISSING))
        .anyMatch(note -> note.startsWith("slapd.conf:3: TLSCACertificatePath: "))
        .anyMatch(note -> note.startsWith("slapd.conf:4: TLSVerifyClient: clients are not asked"));
  }

  @Test
  void shouldAskNobodyForCertificatesWithoutOneOfTheServer() throws Exception {
    Migration migration =
        migrate("TLSCACertificateFile /etc/ldap/ca.pem\nTLSVerifyClient demand\n" + STORE);

    assertThat(read(migration).hasPath("tls")).isFalse();
    assertThat(notes(migration, Kind.DIFFERENT))
        .anyMatch(note -> note.startsWith("slapd.conf:2: TLSVerifyClient: not translated"));
  }

  @Test
  void shouldMapNamesOnlyToWhatCanBeFound() throws Exception {
    Migration migration =
        migrate(
            """
            authz-regexp "uid=([^,]*),cn=plain,cn=auth" "LDAP:///dc=example,dc=com??sub?(uid=$1)"
            authz-regexp "uid=([^,]*),cn=digest-md5,cn=auth" "uid=$1,dc=example,dc=com"
            authz-regexp "uid=([^,]*),cn=.*,cn=auth" "ldap://other/dc=example,dc=com??sub?(uid=$1)"
            """
                + STORE);

    assertThat(read(migration).getConfigList("sasl.map").getFirst().root().unwrapped())
        .containsOnlyKeys("mechanism", "match", "search")
        .containsEntry("mechanism", "PLAIN");
    assertThat(read(migration).getConfigList("sasl.map")).hasSize(2);
    assertThat(notes(migration, Kind.MISSING))
        .singleElement()
        .asString()
        .startsWith("slapd.conf:3: authz-regexp:");
  }

  @Test
  void shouldTakeThePrecisionOfTheOverlay() throws Exception {
    Migration migration = migrate(STORE + "overlay lastbind\nlastbind-precision 300\n");

    assertThat(read(migration).getInt("passwordPolicy.lastBindPrecisionSeconds")).isEqualTo(300);
  }

  @Test
  void shouldReadAllFormsOfTheLevelOfTheLog() throws Exception {
    for (String level : List.of("0x100", "any", "-1", "stats", "16640", "config 256")) {
      assertThat(read(migrate("loglevel " + level + '\n' + STORE)).getString("log.access.format"))
          .as(level)
          .isEqualTo("stats");
    }
    assertThat(read(migrate("loglevel 0x4000\n" + STORE)).hasPath("log")).isFalse();
  }

  @Test
  void shouldReadKeywordsThatStandInQuotesWithTheirUrls() throws Exception {
    Migration migration =
        migrate(
            STORE
                + """
                overlay unique
                unique_uri "serialize ldap:///?uid?sub"
                unique_uri "ldap:///ou=a?mail?sub ldap:///ou=b?mail?sub"
                unique_uri "ignore ldap:///?cn?sub"
                """);

    assertThat(read(migration).getConfigList("uniqueness"))
        .extracting(rule -> rule.getStringList("attributes").getFirst())
        .containsExactly("uid", "mail", "mail");
    assertThat(notes(migration, Kind.DIFFERENT))
        .anyMatch(note -> note.startsWith("slapd.conf:5: unique_uri: counted for each URL"));
    assertThat(notes(migration, Kind.MISSING))
        .singleElement()
        .asString()
        .startsWith("slapd.conf:6: unique_uri: no value is unique by a list");
  }

  @Test
  void shouldDropCommentsWithSecretsAsAWhole() throws Exception {
    Migration migration =
        migrate(
            STORE
                + """
                # Everybody reads.
                # rootpw
                  wonderful
                # Passwort: wonderful
                # pwd=wonderful
                # the password is wonderful
                access to * by * read
                """);

    assertThat(migration.rules().text()).contains("Everybody reads").doesNotContain("wonderful");
  }

  @Test
  void shouldTakeNothingAsABoundOfDynamicEntries() throws Exception {
    Migration migration =
        migrate(
            STORE
                + """
                overlay dds
                dds-max-ttl 1d
                dds-min-ttl 0
                dds-default-ttl 0
                dds-max-dynamicObjects 0
                """);

    assertThat(read(migration).getConfig("dynamicEntries").root())
        .containsOnlyKeys("enabled", "maximumTtlSeconds", "minimumTtlSeconds");
  }

  @Test
  void shouldFindTheNumbersOfServersInCompressedData() throws Exception {
    Path file = folder.resolve("data.ldif.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write("dn: dc=a\ncontextCSN: 20260101000000.000000Z#000000#001#000000\n".getBytes(UTF_8));
    }

    assertThat(ServerNumbers.of(List.of(file))).containsExactly(1);
  }
}
