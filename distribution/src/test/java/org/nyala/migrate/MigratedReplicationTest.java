package org.nyala.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.migrate.MigratedText.STORE;
import static org.nyala.migrate.MigratedText.notes;
import static org.nyala.migrate.MigratedText.read;

import com.typesafe.config.Config;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.slapd.InvalidSlapdFileException;
import org.nyala.migrate.MigrationNote.Kind;

/** Tests what becomes of databases that are copies, and of files that a configuration includes. */
class MigratedReplicationTest {
  @TempDir Path folder;

  private Migration migrate(String text) throws IOException, InvalidSlapdFileException {
    return MigratedText.migrate(folder, text);
  }

  @Test
  void shouldFollowTheProviderOfACopy() throws Exception {
    Migration migration =
        migrate(
            STORE
                + """
                index objectClass eq
                syncrepl rid=007
                  provider=ldap://127.0.0.1:390/
                  searchbase="dc=example, dc=com" type=refreshAndPersist
                  bindmethod=simple binddn="cn=replica,dc=example,dc=com"
                  credentials="very secret" retry="5 10 300 +" network-timeout=7 timeout=9
                  schemachecking=on keepalive=60:3:10
                updatedn cn=replica,dc=example,dc=com
                updateref ldap://provider.example.com/
                """);

    Config replication = read(migration).getConfig("replication");
    assertThat(replication.getString("provider")).isEqualTo("ldap://127.0.0.1:390");
    assertThat(replication.getInt("replicaId")).isEqualTo(7);
    assertThat(replication.getString("bind.mechanism")).isEqualTo("simple");
    assertThat(replication.getString("bind.dn")).isEqualTo("cn=replica,dc=example,dc=com");
    assertThat(replication.getString("bind.passwordFile")).isEqualTo("/etc/nyala/replica-password");
    assertThat(replication.getInt("retrySeconds")).isEqualTo(5);
    assertThat(replication.getInt("maximumRetrySeconds")).isEqualTo(300);
    assertThat(replication.getInt("connectTimeoutSeconds")).isEqualTo(7);
    assertThat(replication.getInt("answerTimeoutSeconds")).isEqualTo(9);
    assertThat(replication.getString("referTo")).isEqualTo("ldap://provider.example.com");
    assertThat(read(migration).getStringList("indexes.entryUUID")).containsExactly("eq");
    assertThat(notes(migration, Kind.MISSING)).isEmpty();
    assertThat(migration.files(folder)).containsEntry("replica-password", "very secret\n");
    assertThat(migration.secrets()).containsExactly("replica-password");
  }

  @Test
  void shouldReferNobodyToAProviderThatTakesStartTls() throws Exception {
    String copy =
        "syncrepl rid=1 provider=ldap://a.example.com bindmethod=sasl saslmech=scram-sha-256"
            + " authcid=replica credentials=secret starttls=critical tls_reqcert=demand\n";
    Config replication = read(migrate(STORE + copy)).getConfig("replication");

    assertThat(replication.getBoolean("startTls")).isTrue();
    assertThat(replication.getString("writes")).isEqualTo("refuse");
    assertThat(replication.getString("bind.mechanism")).isEqualTo("SCRAM-SHA-256");
    assertThat(replication.getString("bind.user")).isEqualTo("replica");
    assertThat(replication.hasPath("requireEncryption")).isFalse();
    Config referred =
        read(migrate(STORE + copy + "updateref ldaps://b.example.com\n")).getConfig("replication");
    assertThat(referred.getString("referTo")).isEqualTo("ldaps://b.example.com");
    assertThat(referred.hasPath("writes")).isFalse();
  }

  @Test
  void shouldReadTheFormOfCnConfig() throws Exception {
    Migration migration =
        migrate(
            """
            dn: olcDatabase={1}mdb,cn=config
            olcDatabase: {1}mdb
            olcSuffix: dc=example,dc=com
            olcSyncrepl: {0}rid=001 provider=ldaps://a.example.com
              searchbase="dc=example,dc=com" type=refreshOnly interval=00:00:01:00 bindmethod=simple
              binddn="cn=r" credentials=secret syncdata=accesslog logbase=cn=log tls_crlcheck=all
            olcUpdateRef: ldaps://a.example.com
            """);

    assertThat(read(migration).getString("replication.provider"))
        .isEqualTo("ldaps://a.example.com");
    assertThat(notes(migration, Kind.DIFFERENT))
        .anyMatch(note -> note.contains("type: a copy follows all the time"))
        .anyMatch(note -> note.contains("syncdata: whole entries are copied"));
    assertThat(notes(migration, Kind.MISSING))
        .singleElement()
        .asString()
        .startsWith("config.ldif:4: olcSyncrepl: tls_crlcheck: see the keys");
  }

  @Test
  void shouldFollowOneServerForSeveralNamingContexts() throws Exception {
    String copy = "syncrepl rid=%d provider=ldaps://%s binddn=cn=r credentials=secret\n";
    Migration migration =
        migrate(
            STORE
                + copy.formatted(1, "a")
                + "database mdb\nsuffix o=two\n"
                + copy.formatted(2, "a")
                + "database mdb\nsuffix o=three\n"
                + copy.formatted(3, "b")
                + "database mdb\nsuffix o=four\n");

    assertThat(read(migration).getStringList("replication.suffixes"))
        .containsExactly("dc=example,dc=com", "o=two");
    assertThat(notes(migration, Kind.MISSING))
        .singleElement()
        .asString()
        .startsWith("slapd.conf:9: syncrepl: one server can be followed");
  }

  @Test
  void shouldNotCopyPartsAndPeers() throws Exception {
    for (String part :
        new String[] {
          "searchbase=ou=a,dc=example,dc=com", "filter=(uid=*)", "scope=one", "attrs=cn,sn"
        }) {
      Migration migration = migrate(STORE + "syncrepl rid=1 provider=ldaps://a " + part + '\n');
      assertThat(read(migration).hasPath("replication")).as(part).isFalse();
      assertThat(notes(migration, Kind.MISSING))
          .singleElement()
          .asString()
          .contains("slapd.conf:3: syncrepl: a part of a naming context")
          .contains("would accept changes here");
    }
    Migration peers = migrate(STORE + "mirrormode on\nsyncrepl rid=1 provider=ldaps://a\n");
    assertThat(read(peers).hasPath("replication")).isFalse();
    assertThat(notes(peers, Kind.MISSING))
        .anyMatch(note -> note.contains("syncrepl: both servers accept changes"));
  }

  /** As slapd does that is started in the folder of its configuration. */
  @Test
  void shouldFindFilesByRelativeNames() throws Exception {
    Files.createDirectories(folder.resolve("conf.d/deep"));
    Files.writeString(folder.resolve("conf.d/main.conf"), "include conf.d/limits.conf\n");
    Files.writeString(folder.resolve("conf.d/limits.conf"), "include beside.conf\nsizelimit 77\n");
    Files.writeString(folder.resolve("conf.d/beside.conf"), "idletimeout 30\n");
    Migration migration = migrate("include conf.d/main.conf\n" + STORE);

    assertThat(read(migration).getInt("limits.sizeLimit")).isEqualTo(77);
    assertThat(read(migration).getInt("limits.idleTimeoutSeconds")).isEqualTo(30);
    assertThat(notes(migration, Kind.DIFFERENT))
        .anyMatch(
            note ->
                note.startsWith("slapd.conf:1: include: read from " + folder + "/conf.d/main.conf"))
        .anyMatch(
            note ->
                note.startsWith("limits.conf:1: include: read from ")
                    && note.contains("/conf.d/beside.conf; slapd looks in"));
  }
}
