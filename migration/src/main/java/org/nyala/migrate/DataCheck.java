package org.nyala.migrate;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.schema.Schema;
import org.nyala.error.Installation;
import org.nyala.importcheck.ImportCheck;
import org.nyala.importcheck.ImportReport;
import org.nyala.lmdb.ldif.ImportProgress;
import org.nyala.lmdb.ldif.ImportSource;

/**
 * The data that slapcat has written, checked by the configuration that a migration makes.
 *
 * <p>Immutable.
 *
 * @param lines the findings; none if there is no data
 * @param isComplete whether an import would take all entries, and nothing else was found
 * @param passwords the number of stored passwords by their scheme
 */
public record DataCheck(
    List<String> lines, boolean isComplete, Map<PasswordScheme, Long> passwords) {
  public DataCheck {
    lines = List.copyOf(lines);
    passwords = Collections.unmodifiableMap(new TreeMap<>(passwords));
  }

  /**
   * Checks files.
   *
   * @param work the folder that the check takes room in; if it is the same each time, the next
   *     check deletes the data of one that was killed
   * @throws IOException if a file cannot be read, or the room is not enough
   */
  public static DataCheck of(
      Migration migration, List<Path> ldif, Path work, ImportProgress progress) throws IOException {
    if (ldif.isEmpty()) {
      return new DataCheck(List.of(), true, Map.of());
    }
    if (migration.fault().isPresent()) {
      return new DataCheck(List.of("not checked, because of the configuration"), false, Map.of());
    }
    Installation installation = Installation.current();
    List<ImportSource> sources = ldif.stream().map(ImportSource::file).toList();
    ImportReport report =
        migration.with(
            configuration -> {
              Schema schema = configuration.schema(installation, _ -> {});
              return ImportCheck.of(configuration, schema, progress)
                  .in(Optional.of(work), "--work")
                  .notingSchemes(migration.newSchemes())
                  .run(sources, List.of());
            });
    return new DataCheck(
        report.lines(), report.isComplete() && report.findings().isEmpty(), report.passwords());
  }
}
