package org.nyala.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.migrate.MigratedText.STORE;
import static org.nyala.migrate.MigratedText.notes;
import static org.nyala.migrate.MigratedText.read;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.slapd.InvalidSlapdFileException;
import org.nyala.migrate.MigrationNote.Kind;

/** Tests what becomes of several databases and their accounts. */
class MigratedDatabasesTest {
  @TempDir Path folder;

  private Migration migrate(String text) throws IOException, InvalidSlapdFileException {
    return MigratedText.migrate(folder, text);
  }

  @Test
  void shouldGiveOneAccountItsRightsInEveryDatabaseThatNamesIt() throws Exception {
    Migration migration =
        migrate(
            """
            database mdb
            suffix o=partners
            rootdn "cn=admin, dc=example,dc=com"
            database mdb
            suffix dc=example,dc=com
            rootdn CN=Admin,dc=example,dc=com
            rootpw secret
            """);

    assertThat(read(migration).getString("root.dn")).isEqualTo("CN=Admin,dc=example,dc=com");
    assertThat(notes(migration, Kind.MISSING)).isEmpty();
    assertThat(migration.secrets()).containsExactly("root-password");
  }

  @Test
  void shouldMakeOneTreeOfDatabasesWithinOthers() throws Exception {
    String part = "database mdb\nsuffix \"ou=Sub, dc=example,dc=com\"\nsubordinate\n";
    String root = "rootdn cn=admin,dc=example,dc=com\n";
    Migration same = migrate(part + root + STORE + root + "rootpw secret\n");

    assertThat(read(same).getStringList("suffixes")).containsExactly("dc=example,dc=com");
    assertThat(read(same).getString("root.dn")).isEqualTo("cn=admin,dc=example,dc=com");
    assertThat(notes(same, Kind.MISSING)).isEmpty();
    assertThat(new MigrationReport(same, List.of()).lines().getFirst())
        .isEqualTo("naming contexts: dc=example,dc=com");

    assertThat(notes(same, Kind.DIFFERENT))
        .anyMatch(note -> note.contains("subordinate: both databases are served as one naming"));

    String other = "rootdn cn=sub,ou=sub,dc=example,dc=com\nrootpw other\n";
    Migration two = migrate(part + other + STORE + root + "rootpw secret\n");
    assertThat(two.secrets()).containsExactly("root-password");
    assertThat(notes(two, Kind.MISSING))
        .hasSize(2)
        .allMatch(note -> note.contains("root of a part of a naming context"));
    assertThat(notes(two, Kind.DIFFERENT))
        .anyMatch(note -> note.contains("rootdn: root below ou=Sub, dc=example,dc=com, too"));
  }

  @Test
  void shouldReadTheFilesOfManyDatabasesInTheirOrder() throws Exception {
    Path config = Files.createDirectories(folder.resolve("slapd.d/cn=config"));
    for (int i : List.of(10, 2, 1)) {
      String name = "olcDatabase={" + i + "}mdb";
      String text = "dn: " + name + "\nolcDatabase: {" + i + "}mdb\nolcSuffix: o=" + i + '\n';
      Files.writeString(config.resolve(name + ".ldif"), text);
    }

    Migration migration = MigratedText.migrate(config.getParent());
    assertThat(migration.suffixes()).containsExactly("o=1", "o=2", "o=10");
  }

  @Test
  void shouldTellOfPasswordsOfRootThatNobodyCanUse() throws Exception {
    Migration migration =
        migrate(STORE + "rootdn cn=admin,dc=example,dc=com\nrootpw {SASL}ann@EXAMPLE.COM\n");

    assertThat(read(migration).hasPath("root")).isFalse();
    assertThat(migration.secrets()).isEmpty();
    assertThat(notes(migration, Kind.MISSING))
        .singleElement()
        .asString()
        .startsWith("slapd.conf:4: rootpw: a password of a scheme that is not known")
        .doesNotContain("ann");
  }

  @Test
  void shouldShowTheEmptySuffix() throws Exception {
    Migration migration = migrate("database mdb\nsuffix \"\"\n");

    assertThat(new MigrationReport(migration, List.of()).lines().getFirst())
        .isEqualTo("naming contexts: ''");
  }

  @Test
  void shouldLeaveTheDatabaseOfALogBehind() throws Exception {
    Migration migration =
        migrate(
            """
            database mdb
            suffix cn=accesslog
            rootdn cn=accesslog
            index reqStart eq
            overlay syncprov
            """
                + STORE
                + """
                rootdn cn=admin,dc=example,dc=com
                rootpw secret
                overlay accesslog
                logdb "cn=AccessLog"
                """);

    assertThat(migration.suffixes()).containsExactly("dc=example,dc=com");
    assertThat(read(migration).getString("root.dn")).isEqualTo("cn=admin,dc=example,dc=com");
    assertThat(read(migration).hasPath("indexes")).isFalse();
    assertThat(notes(migration, Kind.MISSING))
        .hasSize(2)
        .anyMatch(note -> note.startsWith("slapd.conf:1: database mdb: entries below cn=accesslog"))
        .anyMatch(note -> note.contains("overlay accesslog: its database is not moved"));
  }

  @Test
  void shouldFindNothingDifferentInWhatSlapdWritesByItself() throws Exception {
    Migration migration =
        migrate(
            """
            dn: cn=config
            olcReadOnly: FALSE
            olcTLSVerifyClient: never

            dn: olcDatabase={1}mdb,cn=config
            olcDatabase: {1}mdb
            olcSuffix: dc=example,dc=com
            olcLastBind: FALSE
            olcMaxDerefDepth: 15
            olcReadOnly: FALSE

            dn: olcOverlay={0}lastbind,olcDatabase={1}mdb,cn=config
            olcOverlay: {0}lastbind
            olcLastBindPrecision: 0
            olcLastBindForwardUpdates: FALSE

            dn: olcOverlay={1}glue,olcDatabase={1}mdb,cn=config
            olcOverlay: {1}glue
            """);

    assertThat(notes(migration, Kind.MISSING)).isEmpty();
    assertThat(notes(migration, Kind.DIFFERENT))
        .filteredOn(note -> note.startsWith("config.ldif") && !note.contains("overlay lastbind"))
        .isEmpty();
  }
}
