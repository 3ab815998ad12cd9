package org.nyala.core.schema.load;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The precedence of definitions if files of different origin define the same: those that the server
 * needs, then an administrator's own, then those of shipped files. A definition is passed over
 * silently only if it is the same, descriptions aside.
 *
 * <p>Confined to one running operation.
 */
final class DefinitionPrecedence {
  private final Consumer<String> notes;
  private final List<Definition> definitions = new ArrayList<>();

  /** The definitions that count, under their kind with their object identifier or a name. */
  private final Map<String, Definition> known = new HashMap<>();

  /** The keys of definitions that nothing takes the place of. */
  private final Set<String> needed = new HashSet<>();

  DefinitionPrecedence(Consumer<String> notes) {
    this.notes = notes;
  }

  /** The definitions that count, and own ones that are repeated, which linking passes over. */
  List<Definition> definitions() {
    return definitions;
  }

  /** Adds definitions that nothing takes the place of. */
  void addFirst(List<Definition> added) {
    added.forEach(this::take);
    needed.addAll(known.keySet());
  }

  /** Adds an administrator's own definitions. */
  void addOwn(List<Definition> added) {
    for (Definition definition : added) {
      Definition first = known.get(key(definition, definition.oid()));
      if (first != null && !definition.equals(first)) {
        notes.accept(ignored(definition, first));
      }
      take(definition);
    }
  }

  /** Adds definitions of shipped files, but for those whose place is taken. */
  void addShipped(List<Definition> added) {
    for (Definition definition : added) {
      Definition first = inPlaceOf(definition);
      if (first == null) {
        take(definition);
      } else if (!definition.equals(first)) {
        notes.accept(
            text(first)
                + " replaces "
                + text(definition)
                + "; they differ in "
                + parts(first, definition));
      }
    }
  }

  private String ignored(Definition definition, Definition first) {
    return text(definition)
        + " is ignored: it differs from the one in "
        + first.where()
        + " in "
        + parts(first, definition)
        + (needed.contains(key(definition, definition.oid()))
            ? ", which the server needs: delete it"
            : ": delete one of the two");
  }

  private static String parts(Definition one, Definition other) {
    return String.join(", ", DefinitionDifference.of(one, other));
  }

  private void take(Definition definition) {
    definitions.add(definition);
    known.putIfAbsent(key(definition, definition.oid()), definition);
    definition.names().forEach(name -> known.putIfAbsent(key(definition, name), definition));
  }

  private @Nullable Definition inPlaceOf(Definition definition) {
    Definition first = known.get(key(definition, definition.oid()));
    for (String name : definition.names()) {
      if (first == null) {
        first = known.get(key(definition, name));
      }
    }
    return first;
  }

  private static String key(Definition definition, String name) {
    return definition.getClass().getSimpleName() + ' ' + name.toLowerCase(Locale.ROOT);
  }

  private static String text(Definition definition) {
    String name = definition.names().isEmpty() ? "" : " '" + definition.names().getFirst() + "'";
    return definition.where() + ": " + definition.oid() + name;
  }
}
