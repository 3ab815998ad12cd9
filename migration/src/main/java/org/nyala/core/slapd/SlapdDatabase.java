package org.nyala.core.slapd;

import java.util.ArrayList;
import java.util.List;
import org.nyala.core.access.rule.Source;

/**
 * A database of slapd's configuration, or its global section.
 *
 * <p>Confined to one thread.
 */
public final class SlapdDatabase extends SlapdSection {
  /** The kind of slapd's own configuration, which has no counterpart. */
  public static final String CONFIG = "config";

  /** The name at the top of what a server says about itself. */
  public static final String MONITOR_SUFFIX = "cn=Monitor";

  private static final String MONITOR = "monitor";

  private final List<SlapdSection> overlays = new ArrayList<>();

  /**
   * Creates a database without directives.
   *
   * @param kind the kind, in lower case: {@code mdb}, {@code monitor}
   */
  SlapdDatabase(String kind, Source source) {
    super(kind, source);
  }

  @Override
  public String writtenName() {
    return "database " + kind();
  }

  /**
   * Returns the names at the top of its entries; those that slapd knows by itself are among them.
   */
  public List<String> suffixes() {
    List<String> suffixes = new ArrayList<>();
    for (SlapdDirective directive : directives("suffix")) {
      if (directive.words().isEmpty() || !directive.value().equals(directive.words().getFirst())) {
        suffixes.add(directive.value());
      } else {
        suffixes.addAll(directive.words());
      }
    }
    return suffixes.isEmpty() && kind().equals(MONITOR) ? List.of(MONITOR_SUFFIX) : suffixes;
  }

  /** Returns whether it holds entries of users. */
  public boolean isOfUsers() {
    return !kind().equals(MONITOR) && !kind().equals(CONFIG);
  }

  /** Returns the access rules, in the order in which they are asked. */
  public List<SlapdDirective> access() {
    return directives("access");
  }

  /** Returns the limits, in the order in which they are asked. */
  public List<SlapdDirective> limits() {
    return directives("limits");
  }

  /** Returns the overlays, in the order of the configuration. */
  public List<SlapdSection> overlays() {
    return List.copyOf(overlays);
  }

  void add(SlapdSection overlay) {
    overlays.add(overlay);
  }
}
