package org.nyala.core.slapd;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.nyala.core.access.rule.Source;

/**
 * A section of slapd's configuration with its directives in order: an overlay, a database, or what
 * is before all databases.
 *
 * <p>Confined to one thread.
 */
public sealed class SlapdSection implements SlapdPart permits SlapdDatabase {
  private final String kind;
  private final Source source;
  private final List<SlapdDirective> directives = new ArrayList<>();

  SlapdSection(String kind, Source source) {
    this.kind = kind;
    this.source = source;
  }

  /** Returns the kind, in lower case: {@code mdb}, {@code memberof}. */
  public final String kind() {
    return kind;
  }

  /** Returns the place at which it begins. */
  @Override
  public final Source source() {
    return source;
  }

  @Override
  public String writtenName() {
    return "overlay " + kind;
  }

  /** Returns all directives, in the order of the configuration. */
  public final List<SlapdDirective> directives() {
    return List.copyOf(directives);
  }

  /** Returns the directives of a name ({@link SlapdDirective#name}), in order. */
  public final List<SlapdDirective> directives(String name) {
    return directives.stream().filter(directive -> directive.name().equals(name)).toList();
  }

  /** Returns the last directive of a name, which is the one in force of those with one value. */
  public final Optional<SlapdDirective> directive(String name) {
    return directives.stream()
        .filter(directive -> directive.name().equals(name))
        .reduce((_, last) -> last);
  }

  /** Returns whether slapd leaves it out ({@code olcDisabled}). */
  public final boolean isDisabled() {
    return directive("disabled").filter(SlapdDirective::isOn).isPresent();
  }

  final void add(SlapdDirective directive) {
    directives.add(directive);
  }
}
