package org.nyala.build;

import java.io.IOException;
import org.nyala.migrate.DirectiveTable;
import org.nyala.migrate.MigrationNote;
import org.nyala.server.ConfigurationCheck;

/**
 * Writes in AsciiDoc what {@code nyala migrate} makes of each directive and overlay of slapd.
 * Stateless.
 */
final class MigrationReference {
  private MigrationReference() {}

  /** Returns the tables, one for each kind of section. */
  static String of() throws IOException {
    StringBuilder text = new StringBuilder();
    begin("Global", text);
    boolean isOfDatabase = false;
    boolean isOfOverlay = false;
    for (DirectiveTable.Row row : DirectiveTable.rows(ConfigurationCheck::run)) {
      if (row.line().startsWith("database ") && !isOfDatabase) {
        isOfDatabase = true;
        begin("Databases", text.append("|===\n\n"));
      } else if (row.line().startsWith("overlay ") && !isOfOverlay) {
        isOfOverlay = true;
        begin("Overlays", text.append("|===\n\n"));
      }
      write(row, text);
    }
    return text.append("|===\n").toString();
  }

  private static void begin(String heading, StringBuilder text) {
    text.append("=== ").append(heading);
    text.append("\n\n[cols=\"3,7\",options=header]\n|===\n|slapd |nyala migrate\n\n");
  }

  private static void write(DirectiveTable.Row row, StringBuilder text) {
    text.append('|').append(AdocText.code(row.line())).append(" |");
    text.append(
        String.join(
            "; ",
            row.remarks().stream()
                .map(note -> word(note.kind()) + AdocText.plain(note.text()))
                .toList()));
    text.append('\n');
  }

  private static String word(MigrationNote.Kind kind) {
    return switch (kind) {
      case TRANSLATED -> "*Translated*: ";
      case DIFFERENT -> "*Not quite the same*: ";
      case MISSING -> "*No counterpart*: ";
      case NEEDLESS -> "*Not needed*: ";
    };
  }
}
