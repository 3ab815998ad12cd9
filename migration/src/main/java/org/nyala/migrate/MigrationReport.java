package org.nyala.migrate;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.nyala.migrate.MigrationNote.Kind;

/**
 * The report of a migration: first what is lost or changes, then what is as before.
 *
 * <p>Immutable.
 */
public final class MigrationReport {
  private final Migration migration;
  private final List<String> data;

  /**
   * Creates a report.
   *
   * @param data the lines about the data; none if no data was read
   */
  public MigrationReport(Migration migration, List<String> data) {
    this.migration = migration;
    this.data = List.copyOf(data);
  }

  /** Returns whether nothing of the configuration is lost: everything has a counterpart. */
  public boolean isComplete() {
    return notes(Kind.MISSING).isEmpty() && migration.rules().unsaid().isEmpty();
  }

  private List<MigrationNote> notes(Kind kind) {
    return migration.notes().stream().filter(note -> note.kind() == kind).toList();
  }

  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add("naming contexts: " + OtherDirectives.shown(migration.suffixes()));
    migration
        .fault()
        .ifPresent(
            fault -> {
              lines.add("");
              lines.add("THE CONFIGURATION CANNOT BE USED AS IT IS:");
              lines.add("  " + fault);
            });
    add(lines, "No counterpart, and what that means", notes(Kind.MISSING));
    add(
        lines,
        "Access rules and limits that are not said as slapd has them",
        migration.rules().unsaid());
    add(lines, "Not quite the same", notes(Kind.DIFFERENT));
    add(lines, "Data", data);
    add(lines, "Translated", notes(Kind.TRANSLATED));
    Set<String> needless = new LinkedHashSet<>();
    notes(Kind.NEEDLESS).stream()
        .sorted(Comparator.comparing(MigrationNote::subject))
        .forEach(note -> needless.add(note.subject()));
    if (!needless.isEmpty()) {
      lines.add("");
      lines.add("Needs no counterpart:");
      lines.add("  " + String.join(", ", needless));
    }
    return lines;
  }

  /**
   * Returns the commands that come next.
   *
   * @param folder the folder of the configuration
   * @param ldif the files of the data; none if they were not named
   */
  public static List<String> next(Path folder, List<Path> ldif) {
    String option = " --config " + folder.resolve(Migration.CONFIGURATION);
    StringBuilder files = new StringBuilder();
    ldif.forEach(file -> files.append(' ').append(file));
    return List.of(
        "",
        "Next:",
        "  nyala config check" + option,
        "  nyala import"
            + option
            + (ldif.isEmpty() ? " DATA.ldif" : files)
            + " --reject rejected.ldif",
        "  nyala verify" + option,
        "and for each file, with its naming context:",
        "  nyala compare" + option + " FILE DATA-FOLDER --base SUFFIX --operational");
  }

  private static void add(List<String> lines, String heading, List<?> items) {
    if (!items.isEmpty()) {
      lines.add("");
      lines.add(heading + " (" + items.size() + "):");
      items.forEach(item -> lines.add("  " + item));
    }
  }
}
