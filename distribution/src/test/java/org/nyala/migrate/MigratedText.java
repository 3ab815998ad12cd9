package org.nyala.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.nyala.core.slapd.InvalidSlapdFileException;
import org.nyala.error.Installation;
import org.nyala.migrate.MigrationNote.Kind;
import org.nyala.server.ConfigurationCheck;

/** The migration of a configuration that a test has as text. */
final class MigratedText {
  /** The beginning of a database. */
  static final String STORE =
      """
      database mdb
      suffix "dc=example,dc=com"
      """;

  private MigratedText() {}

  /** Translates slapd.conf, or LDIF of cn=config, and requires that the result can be used. */
  static Migration migrate(Path folder, String text) throws IOException, InvalidSlapdFileException {
    String name = text.startsWith("dn:") ? "config.ldif" : "slapd.conf";
    return migrate(Files.writeString(folder.resolve(name), text));
  }

  /** Translates a file or folder, and requires that the result can be used. */
  static Migration migrate(Path path) throws IOException, InvalidSlapdFileException {
    Migration migration =
        Migration.of(
            path,
            Set.of(),
            Placement.DEFAULT,
            new Installation(Optional.empty()),
            ConfigurationCheck::run);
    assertThat(migration.fault()).isEmpty();
    return migration;
  }

  /** Returns the configuration that was made. */
  static Config read(Migration migration) {
    return ConfigFactory.parseString(migration.configuration(Path.of("/etc/nyala")))
        .resolve()
        .getConfig("nyala");
  }

  /** Returns the remarks of a kind. */
  static Stream<String> notes(Migration migration, Kind kind) {
    return migration.notes().stream().filter(note -> note.kind() == kind).map(String::valueOf);
  }
}
