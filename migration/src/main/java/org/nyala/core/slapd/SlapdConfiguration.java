package org.nyala.core.slapd;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.nyala.core.access.rule.Source;

/**
 * The configuration of slapd: the global section, the databases with their overlays, and the
 * definitions of the schema by the file or entry that has them.
 *
 * <p>Confined to one thread.
 */
public final class SlapdConfiguration {
  /** The maximum length of a file in bytes. */
  static final int MAXIMUM_BYTES = 16 << 20;

  /** The maximum length of all files together; a file that is included twice counts twice. */
  static final int MAXIMUM_BYTES_OF_ALL = 64 << 20;

  /** The maximum number of rules and limits. */
  static final int MAXIMUM_RULES = 10_000;

  private static final int MAXIMUM_DIRECTIVES = 200_000;
  private static final int MAXIMUM_DATABASES = 1_000;
  private static final String FRONTEND = "frontend";

  private final SlapdDatabase global;
  private final List<SlapdDatabase> databases = new ArrayList<>();
  private final Map<String, List<SlapdDirective>> definitions = new LinkedHashMap<>();
  private final List<SlapdDirective> missing = new ArrayList<>();
  private final Map<SlapdDirective, Path> found = new LinkedHashMap<>();
  private int rules;
  private int directives;
  private int overlays;
  private long characters;

  SlapdConfiguration(Source source) {
    this.global = new SlapdDatabase(FRONTEND, source);
  }

  /**
   * Reads a configuration.
   *
   * @param path slapd.conf with the files that it includes, an LDIF of {@code cn=config}, or a
   *     folder such as slapd.d; at most 16 MiB a file and 64 MiB in all, 10,000 rules and limits,
   *     200,000 directives and 1,000 databases in all
   * @throws IOException if it, or a file that it includes, cannot be read
   * @throws InvalidSlapdFileException if it is beyond these bounds, not UTF-8, or no such file
   */
  public static SlapdConfiguration read(Path path) throws IOException, InvalidSlapdFileException {
    return SlapdFiles.read(path);
  }

  /** Returns the section before all databases, whose rules are asked after theirs. */
  public SlapdDatabase global() {
    return global;
  }

  /** Returns the databases, in the order of the configuration. */
  public List<SlapdDatabase> databases() {
    return List.copyOf(databases);
  }

  /**
   * Returns the definitions of the schema in order, by the name of their file without its end or
   * that of their entry: {@code local}. Those that slapd has by itself are not among them.
   */
  public Map<String, List<SlapdDirective>> definitions() {
    return definitions;
  }

  /** Returns the directives that include a file of schema that is not there. */
  public List<SlapdDirective> missing() {
    return List.copyOf(missing);
  }

  /** Returns the files that were read for directives that include one by a relative name. */
  public Map<SlapdDirective, Path> found() {
    return found;
  }

  /** Notes the file that was read for a relative name. */
  void find(SlapdDirective include, Path file) throws InvalidSlapdFileException {
    count(include);
    found.put(include, file);
  }

  /** Returns the database of a kind that begins here; the frontend is the global section. */
  SlapdDatabase begin(String kind, Source source) throws InvalidSlapdFileException {
    String known = kind.toLowerCase(Locale.ROOT);
    if (known.equals(FRONTEND)) {
      return global;
    }
    if (databases.size() == MAXIMUM_DATABASES) {
      throw new InvalidSlapdFileException(source, "more than " + MAXIMUM_DATABASES + " databases");
    }
    SlapdDatabase database = new SlapdDatabase(known, source);
    databases.add(database);
    return database;
  }

  /** Returns the overlay of a kind that begins here, above a database. */
  SlapdSection beginOverlay(SlapdDatabase database, String kind, Source source)
      throws InvalidSlapdFileException {
    if (++overlays > MAXIMUM_DATABASES) {
      throw new InvalidSlapdFileException(source, "more than " + MAXIMUM_DATABASES + " overlays");
    }
    SlapdSection overlay = new SlapdSection(kind.toLowerCase(Locale.ROOT), source);
    database.add(overlay);
    return overlay;
  }

  void add(SlapdSection section, SlapdDirective directive) throws InvalidSlapdFileException {
    boolean isRule = directive.name().equals("access") || directive.name().equals("limits");
    if (isRule && ++rules > MAXIMUM_RULES) {
      throw new InvalidSlapdFileException(
          directive.source(), "more than " + MAXIMUM_RULES + " rules and limits");
    }
    count(directive);
    section.add(directive);
  }

  /** Adds a definition of a part of the schema. */
  void define(String part, SlapdDirective directive) throws InvalidSlapdFileException {
    count(directive);
    definitions.computeIfAbsent(part, _ -> new ArrayList<>()).add(directive);
  }

  /** Notes that a file of schema is not there. */
  void miss(SlapdDirective include) throws InvalidSlapdFileException {
    count(include);
    missing.add(include);
  }

  /** Counts the characters of one more file. */
  void take(long length, Source source) throws InvalidSlapdFileException {
    characters += length;
    if (characters > MAXIMUM_BYTES_OF_ALL) {
      throw new InvalidSlapdFileException(
          source, "files of more than " + MAXIMUM_BYTES_OF_ALL + " bytes in all");
    }
  }

  private void count(SlapdDirective directive) throws InvalidSlapdFileException {
    if (++directives > MAXIMUM_DIRECTIVES) {
      throw new InvalidSlapdFileException(
          directive.source(), "more than " + MAXIMUM_DIRECTIVES + " directives");
    }
  }

  /** Returns whether a directive defines a part of the schema. */
  static boolean isDefinition(String name) {
    return switch (name) {
      case "attributetype", "objectclass", "objectidentifier", "ldapsyntax", "ditcontentrule" ->
          true;
      default -> false;
    };
  }

  /** Returns the name by which comments and messages call a file. */
  public static String nameOf(Path file) {
    Path name = file.getFileName();
    return name == null ? file.toString() : name.toString();
  }
}
