package org.nyala.migrate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.schema.Schema;

/**
 * The suffixes of the databases that are moved. slapd may keep a part of a tree in a database of
 * its own; here the whole tree is one naming context.
 *
 * <p>Immutable.
 */
final class MovedSuffixes {
  private final Map<String, Optional<Dn>> names = new LinkedHashMap<>();

  /** Reads suffixes; one that is no DN is within no other. */
  MovedSuffixes(Iterable<String> suffixes, Schema schema) {
    suffixes.forEach(suffix -> names.put(suffix, name(suffix, schema)));
  }

  private static Optional<Dn> name(String suffix, Schema schema) {
    try {
      return Optional.of(DnParser.parse(schema, suffix));
    } catch (InvalidDnException _) {
      return Optional.empty(); // The check of the configuration tells.
    }
  }

  /** Returns the naming contexts: the suffixes that are within no other. */
  List<String> contexts() {
    return names.keySet().stream().filter(suffix -> !isPart(suffix)).toList();
  }

  /** Returns whether a suffix is within another one. */
  boolean isPart(String suffix) {
    return names.keySet().stream().anyMatch(other -> isWithin(suffix, other));
  }

  /** Returns the suffixes within another one. */
  List<String> partsOf(String context) {
    List<String> parts = new ArrayList<>(names.keySet());
    parts.removeIf(suffix -> !isWithin(suffix, context));
    return parts;
  }

  private boolean isWithin(String suffix, String other) {
    Dn name = nameOf(suffix).orElse(null);
    Dn above = nameOf(other).orElse(null);
    return name != null && above != null && !name.equals(above) && name.isWithin(above);
  }

  private Optional<Dn> nameOf(String suffix) {
    return names.getOrDefault(suffix, Optional.empty());
  }
}
