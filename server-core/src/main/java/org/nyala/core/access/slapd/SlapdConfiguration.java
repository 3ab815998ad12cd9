package org.nyala.core.access.slapd;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.nyala.core.access.rule.Source;

/**
 * The part of slapd's configuration that is about access, while it is read.
 *
 * <p>Confined to one thread.
 */
final class SlapdConfiguration {
  /** The maximum length of a file in bytes. */
  static final int MAXIMUM_BYTES = 16 << 20;

  /** The maximum number of rules and limits. */
  static final int MAXIMUM_DIRECTIVES = 10_000;

  private static final int MAXIMUM_DATABASES = 1_000;
  private static final String FRONTEND = "frontend";

  private final SlapdDatabase global = new SlapdDatabase(FRONTEND);
  private final List<SlapdDatabase> databases = new ArrayList<>();
  private int directives;

  /** The section before all databases, whose rules are asked after theirs. */
  SlapdDatabase global() {
    return global;
  }

  /** The databases, in the order of the configuration. */
  List<SlapdDatabase> databases() {
    return databases;
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
    SlapdDatabase database = new SlapdDatabase(known);
    databases.add(database);
    return database;
  }

  /** Adds a directive to a list of a database. */
  void add(List<SlapdDirective> list, SlapdDirective directive) throws InvalidSlapdFileException {
    if (++directives > MAXIMUM_DIRECTIVES) {
      throw new InvalidSlapdFileException(
          directive.source(), "more than " + MAXIMUM_DIRECTIVES + " rules and limits");
    }
    list.add(directive);
  }

  /** Returns the name by which comments and messages call a file. */
  static String nameOf(Path file) {
    Path name = file.getFileName();
    return name == null ? file.toString() : name.toString();
  }
}
