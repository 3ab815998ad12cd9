package org.nyala.migrate;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.nyala.core.access.rule.Source;
import org.nyala.core.schema.InvalidSchemaException;
import org.nyala.core.schema.load.ForeignDefinitions;
import org.nyala.core.schema.load.SchemaLoader;
import org.nyala.core.schema.load.SchemaSource;
import org.nyala.core.slapd.SlapdDirective;
import org.nyala.migrate.MigrationNote.Kind;

/**
 * The definitions of slapd's schema that the shipped files do not have, as files.
 *
 * <p>Confined to one running operation.
 */
final class SchemaMigration {
  private static final String END = ".schema";
  private static final String MACRO = "objectidentifier";

  /** The file of all macros, which is read before those that use them. */
  private static final String MACROS = "00-identifiers";

  private static final int MAXIMUM_NAMED = 8;
  private static final int MAXIMUM_NAME = 60;

  private final Translation translation;
  private final Map<String, String> files = new LinkedHashMap<>();
  private final List<String> replaced = new ArrayList<>();

  private SchemaMigration(Translation translation) {
    this.translation = translation;
  }

  /**
   * Compares slapd's definitions with the shipped ones, and sets {@code schema.replace} for those
   * that have to take their place.
   *
   * @throws InvalidSchemaException if a definition cannot be read
   */
  static SchemaMigration translate(Translation translation) {
    SchemaMigration migration = new SchemaMigration(translation);
    migration.compare();
    for (SlapdDirective each : translation.source().missing()) {
      translation.missing(
          each, "'" + each.value() + "' is not there: bring the file, or run this where it is");
    }
    translation
        .source()
        .found()
        .forEach(
            (include, file) ->
                translation.different(
                    include,
                    "read from " + file + "; slapd looks in the directory that it is started in"));
    return migration;
  }

  /** Returns the files of definitions that are not shipped, by their names. */
  Map<String, String> files() {
    return files;
  }

  /** Returns the names of definitions that take the place of shipped ones. */
  List<String> replaced() {
    return replaced;
  }

  private void compare() {
    Map<String, List<SlapdDirective>> parts = translation.source().definitions();
    List<SchemaSource> sources = new ArrayList<>();
    StringBuilder macros = new StringBuilder();
    for (List<SlapdDirective> part : parts.values()) {
      part.stream()
          .filter(each -> each.name().equals(MACRO))
          .forEach(each -> macros.append(text(each)));
    }
    parts.forEach((name, part) -> sources.add(new SchemaSource(name + END, text(part))));
    for (ForeignDefinitions.Compared each : ForeignDefinitions.compare(sources)) {
      add(each);
    }
    if (!macros.isEmpty() && !files.isEmpty()) {
      files.put(MACROS + END, macros.toString());
    }
    if (!files.isEmpty()) {
      String folder = ConfigurationDraft.text(Migration.FOLDER + Migration.SCHEMA);
      translation.set("schema.folders", "[" + folder + "]", null);
    }
    if (!replaced.isEmpty()) {
      translation.set(
          "schema.replace",
          ConfigurationDraft.list(replaced),
          "Definitions of those files that take the place of shipped ones.");
    }
  }

  private void add(ForeignDefinitions.Compared compared) {
    String name = compared.source().name();
    Source source = new Source(name, 0, 0);
    if (compared.isShipped()) {
      translation
          .notes()
          .add(new MigrationNote(Kind.NEEDLESS, source, "schema " + name, "comes with the server"));
      return;
    }
    String file = fileName(name);
    files.put(file, compared.source().text());
    List<String> added = compared.added();
    String first = String.join(", ", added.subList(0, Math.min(MAXIMUM_NAMED, added.size())));
    String text =
        Migration.SCHEMA
            + '/'
            + file
            + ": "
            + compared.count()
            + " definitions, "
            + added.size()
            + " of them new"
            + (added.isEmpty()
                ? ""
                : " (" + first + (added.size() > MAXIMUM_NAMED ? ", ...)" : ")"));
    translation.notes().add(new MigrationNote(Kind.TRANSLATED, source, "schema " + name, text));
    boolean isWhole = SchemaLoader.bundledNames().contains(file);
    for (String each : compared.unsuited()) {
      translation
          .notes()
          .add(
              new MigrationNote(
                  Kind.DIFFERENT,
                  source,
                  "schema " + name,
                  each + " differs from the shipped one, whose place it takes"));
    }
    if (!isWhole) {
      replaced.addAll(compared.replacing());
    }
  }

  /* The names of entries are slapd's, but nothing else keeps them from naming other folders. */
  private String fileName(String name) {
    String stem = name.substring(0, name.length() - END.length());
    String safe = stem.replaceAll("[^A-Za-z0-9_-]", "_");
    String begin = safe.substring(0, Math.min(MAXIMUM_NAME, safe.length()));
    String file = begin.equals(MACROS) ? begin + "-own" + END : begin + END;
    for (int i = 2; files.containsKey(file); i++) {
      file = begin + '-' + i + END;
    }
    return file;
  }

  private static String text(List<SlapdDirective> directives) {
    StringBuilder text = new StringBuilder();
    // An entry of cn=config has them in another order, and macros count for what is behind them.
    directives.stream()
        .sorted(Comparator.comparing((SlapdDirective each) -> !each.name().equals(MACRO)))
        .forEach(each -> text.append(text(each)));
    return text.toString();
  }

  private static String text(SlapdDirective directive) {
    StringBuilder text = new StringBuilder("\n");
    directive
        .comments()
        .forEach(line -> text.append(line.startsWith("#") ? "" : "# ").append(line).append('\n'));
    if (directive.writtenName().startsWith("olc")) {
      String value = directive.value().replaceAll("[\r\n]+", "\n  ");
      text.append(directive.name()).append(' ').append(value).append('\n');
    } else {
      directive.lines().forEach(line -> text.append(line).append('\n'));
    }
    return text.toString();
  }
}
