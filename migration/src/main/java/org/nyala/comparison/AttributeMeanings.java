package org.nyala.comparison;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * The meanings of descriptions of attributes, in any spelling: the form without aliases, the kind
 * of values, and whether they count.
 *
 * <p>Confined to one thread.
 */
final class AttributeMeanings {
  /** The number of spellings that are remembered: a file may have any number of them. */
  private static final int MOST_NAMES = 10_000;

  /** The characters of one that is remembered. */
  private static final int LONGEST_NAME = 200;

  /** The kinds of values, by the syntax of their type (RFC 4517, section 3.3). */
  enum Kind {
    NAME("1.3.6.1.4.1.1466.115.121.1.12"),
    NAME_AND_UID("1.3.6.1.4.1.1466.115.121.1.34"),
    OID("1.3.6.1.4.1.1466.115.121.1.38"),
    OTHER("");

    private final String syntax;

    Kind(String syntax) {
      this.syntax = syntax;
    }

    private static Kind of(AttributeType type) {
      for (Kind each : values()) {
        if (each.syntax.equals(type.syntax().oid())) {
          return each;
        }
      }
      return OTHER;
    }
  }

  /**
   * The meaning of a description.
   *
   * @param name its form in lower case without aliases, with options in order; empty if it does not
   *     count
   */
  record Meaning(String name, Kind kind) {
    boolean counts() {
      return !name.isEmpty();
    }
  }

  private final Schema schema;
  private final boolean isOperational;
  private final Set<String> except = new HashSet<>();

  /** Those that were left out of no entry and are no types of the schema, as they were given. */
  private final Map<String, String> unused = new LinkedHashMap<>();

  private final Map<String, Meaning> known = new HashMap<>();

  /**
   * Takes what does not count.
   *
   * @param isOperational true if operational attributes count
   * @param except types, which are left out with all options, and descriptions with options
   */
  AttributeMeanings(Schema schema, boolean isOperational, Collection<String> except) {
    this.schema = schema;
    this.isOperational = isOperational;
    for (String each : except) {
      String name = normal(each.strip());
      this.except.add(name);
      if (schema.attributeType(name) == null) {
        unused.put(name, each.strip());
      }
    }
  }

  /** Returns whether operational attributes count. */
  boolean isOperational() {
    return isOperational;
  }

  /** Returns the exceptions that neither the schema nor an entry that was read has. */
  List<String> unused() {
    return List.copyOf(unused.values());
  }

  Meaning of(String description) {
    Meaning found = known.get(description);
    if (found != null) {
      return found;
    }
    Meaning read = read(description);
    if (description.length() <= LONGEST_NAME) {
      if (known.size() == MOST_NAMES) {
        known.clear();
      }
      known.put(description, read);
    }
    return read;
  }

  private Meaning read(String description) {
    String name = normal(description);
    int options = name.indexOf(';');
    String typeName = options < 0 ? name : name.substring(0, options);
    AttributeType type = schema.attributeType(typeName);
    boolean isOut = except.contains(typeName) || except.contains(name);
    unused.remove(typeName);
    unused.remove(name);
    boolean counts =
        !isOut
            && !ServerComparison.COMPUTED.contains(typeName)
            && (isOperational || type == null || !type.isOperational());
    return new Meaning(counts ? name : "", type == null ? Kind.OTHER : Kind.of(type));
  }

  private String normal(String description) {
    String[] parts = description.toLowerCase(Locale.ROOT).split(";", -1);
    AttributeType type = schema.attributeType(parts[0]);
    String name = type == null ? parts[0] : type.name().toLowerCase(Locale.ROOT);
    Set<String> options = new TreeSet<>(List.of(parts).subList(1, parts.length));
    return options.isEmpty() ? name : name + ';' + String.join(";", options);
  }
}
