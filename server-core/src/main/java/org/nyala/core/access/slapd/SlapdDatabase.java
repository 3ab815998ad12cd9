package org.nyala.core.access.slapd;

import java.util.ArrayList;
import java.util.List;

/**
 * A database of slapd's configuration while it is read, or its global section.
 *
 * <p>Confined to one thread.
 */
final class SlapdDatabase {
  /** The kind of slapd's own configuration, which has no counterpart. */
  static final String CONFIG = "config";

  /** The name at the top of what a server says about itself. */
  static final String MONITOR_SUFFIX = "cn=Monitor";

  private static final String MONITOR = "monitor";

  private final String kind;
  private final List<String> suffixes = new ArrayList<>();
  private final List<SlapdDirective> access = new ArrayList<>();
  private final List<SlapdDirective> limits = new ArrayList<>();

  /**
   * Creates a database without directives.
   *
   * @param kind the kind, in lower case: {@code mdb}, {@code monitor}
   */
  SlapdDatabase(String kind) {
    this.kind = kind;
  }

  String kind() {
    return kind;
  }

  /** The names at the top of its entries; those that slapd knows by itself are among them. */
  List<String> suffixes() {
    return suffixes.isEmpty() && kind.equals(MONITOR) ? List.of(MONITOR_SUFFIX) : suffixes;
  }

  /** Returns whether it holds entries of users. */
  boolean isOfUsers() {
    return !kind.equals(MONITOR) && !kind.equals(CONFIG);
  }

  /** The access rules, in the order in which they are asked; may be added to. */
  List<SlapdDirective> access() {
    return access;
  }

  /** The limits, in the order in which they are asked; may be added to. */
  List<SlapdDirective> limits() {
    return limits;
  }

  void addSuffix(String suffix) {
    suffixes.add(suffix);
  }
}
