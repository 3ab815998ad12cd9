package org.nyala.migrate;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.nyala.core.access.rule.Source;
import org.nyala.core.slapd.InvalidSlapdFileException;
import org.nyala.error.Installation;

/**
 * The fate of each directive and overlay of slapd, as a migration tells it of an example that has
 * all of them. Stateless.
 */
public final class DirectiveTable {
  private static final String EXAMPLE = "example.conf";

  /**
   * A line of the example.
   *
   * @param line the directive, or the beginning of a database or an overlay
   * @param remarks the results for it
   */
  public record Row(String line, List<MigrationNote> remarks) {
    public Row {
      remarks = List.copyOf(remarks);
    }
  }

  private DirectiveTable() {}

  /**
   * Returns the rows: those of the whole server, then of databases, then of overlays.
   *
   * @param start the check of the configuration that the example becomes
   * @throws IOException if the folder for temporary files cannot be written to
   */
  public static List<Row> rows(Migration.StartCheck start) throws IOException {
    List<String> lines = example();
    Path folder = Files.createTempDirectory("nyala-reference-");
    Path file = Files.write(folder.resolve("slapd.conf"), lines);
    try {
      return rows(
          lines,
          Migration.of(
              file, Set.of(), Placement.DEFAULT, new Installation(Optional.empty()), start));
    } catch (InvalidSlapdFileException e) {
      throw new IllegalStateException(EXAMPLE, e);
    } finally {
      Files.delete(file);
      Files.delete(folder);
    }
  }

  private static List<String> example() throws IOException {
    try (InputStream in = DirectiveTable.class.getResourceAsStream(EXAMPLE)) {
      if (in == null) {
        throw new IllegalStateException(EXAMPLE + " is not there");
      }
      return new String(in.readAllBytes(), UTF_8).lines().toList();
    }
  }

  private static List<Row> rows(List<String> lines, Migration migration) {
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      rows.add(new Row(lines.get(i), remarks(lines.get(i), i + 1, migration)));
    }
    return rows;
  }

  private static List<MigrationNote> remarks(String line, int number, Migration migration) {
    List<MigrationNote> remarks = new ArrayList<>();
    migration.notes().stream().filter(note -> note.source().line() == number).forEach(remarks::add);
    migration.rules().unsaid().stream()
        .filter(each -> each.source().line() == number)
        .map(
            each ->
                new MigrationNote(MigrationNote.Kind.MISSING, each.source(), line, each.reason()))
        .forEach(remarks::add);
    if (remarks.isEmpty()) {
      boolean isDatabase = line.startsWith("database ");
      remarks.add(
          new MigrationNote(
              MigrationNote.Kind.TRANSLATED,
              Source.NONE,
              line,
              isDatabase ? "its entries are imported" : "access.rules"));
    }
    return remarks;
  }
}
