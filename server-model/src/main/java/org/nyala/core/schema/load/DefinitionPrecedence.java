package org.nyala.core.schema.load;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.InvalidSchemaException;

/**
 * The precedence of definitions if files of different origin define the same object identifier or
 * name. One that means the same as another is passed over silently; one that differs is refused,
 * unless its replacement by a definition of an administrator's folders is announced. Those that the
 * server needs are never replaced; another one of an operational attribute, or with other matching
 * rules alone, is ignored.
 *
 * <p>Confined to one running operation.
 */
final class DefinitionPrecedence {
  /** The origin of definitions; each is replaced only by those of an origin before it. */
  enum Origin {
    NEEDED,
    FOLDERS,
    INSTALLED,
    SHIPPED
  }

  /** The most collisions that a message describes; it names the others. */
  private static final int MOST_DESCRIBED = 5;

  /** The parts that only decide how values can be found. */
  private static final Set<String> COMPARISONS = Set.of("EQUALITY", "ORDERING", "SUBSTR");

  private final Consumer<String> notes;
  private final Set<String> announced = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
  private final Set<String> unused = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
  private final DefinitionDifference difference;
  private final List<Definition> definitions = new ArrayList<>();
  private final Map<Definition.Heading, Origin> origins = new HashMap<>();
  private final List<String> collisions = new ArrayList<>();
  private final Set<String> replaceable = new LinkedHashSet<>();

  /** The shipped files that have the definitions in conflict. */
  private final Set<String> files = new TreeSet<>();

  /** The definitions that count, under their kind with their object identifier or a name. */
  private final Map<String, Definition> known = new HashMap<>();

  /** The definitions that count, under the names and identifiers of those that they replace. */
  private final Map<String, Definition> replacements = new HashMap<>();

  /**
   * Prepares for definitions.
   *
   * @param all all of them, with those that will count before the ones that they replace
   * @param announced the names or object identifiers of those that may be replaced
   */
  DefinitionPrecedence(Collection<Definition> all, List<String> announced, Consumer<String> notes) {
    this.notes = notes;
    this.announced.addAll(announced);
    this.unused.addAll(announced);
    this.difference = new DefinitionDifference(all);
  }

  /** Adds definitions of an origin, after those of all origins before it. */
  void add(Origin origin, List<Definition> added) {
    for (Definition definition : added) {
      Set<Definition> others = others(definition);
      others.forEach(other -> meet(origin, definition, other));
      if (others.isEmpty()) {
        definitions.add(definition);
        keys(definition).forEach(key -> known.put(key, definition));
        origins.put(definition.heading(), origin);
      }
    }
  }

  /** Returns the definitions that count so far with the identifier or a name of another. */
  private Set<Definition> others(Definition definition) {
    Set<Definition> others = new LinkedHashSet<>();
    for (String key : keys(definition)) {
      Definition other = known.get(key);
      if (other != null) {
        others.add(other);
      }
    }
    return others;
  }

  private void meet(Origin origin, Definition definition, Definition other) {
    List<String> parts = difference.parts(other, definition);
    if (parts.isEmpty()) {
      return;
    }
    Origin first = origins.getOrDefault(other.heading(), origin);
    if (first == Origin.NEEDED && isHarmless(other, parts)) {
      notes.accept(
          text(definition)
              + " is ignored: the server's own in "
              + other.where()
              + " counts; they differ in "
              + joined(parts));
    } else if (origin == Origin.SHIPPED && first != origin && hasFewerRules(other, parts)) {
      notes.accept(
          text(other)
              + " counts instead of "
              + text(definition)
              + ", which has more matching rules: "
              + joined(parts));
    } else if (first != Origin.NEEDED && first != origin && isAnnounced(definition, other)) {
      keys(definition).forEach(key -> replacements.putIfAbsent(key, other));
      notes.accept(
          text(other) + " replaces " + text(definition) + "; they differ in " + joined(parts));
    } else {
      collisions.add(collision(origin, definition, other, parts));
    }
  }

  /* The shipped files compare more types than slapd's do, and mean the same. */
  private static boolean hasFewerRules(Definition own, List<String> parts) {
    return own instanceof Definition.OfAttribute type
        && type.superior() == null
        && COMPARISONS.containsAll(parts)
        && parts.stream().allMatch(part -> rule(type, part) == null);
  }

  private static @Nullable String rule(Definition.OfAttribute type, String part) {
    return switch (part) {
      case "EQUALITY" -> type.equality();
      case "ORDERING" -> type.ordering();
      default -> type.substrings();
    };
  }

  /* The server maintains operational attributes; and it may offer other comparisons of a type. */
  private static boolean isHarmless(Definition needed, List<String> parts) {
    return needed instanceof Definition.OfAttribute attribute
        && (attribute.usage() != AttributeType.Usage.USER_APPLICATIONS
            || COMPARISONS.containsAll(parts));
  }

  private boolean isAnnounced(Definition one, Definition other) {
    boolean isAnnounced = false;
    for (Definition each : List.of(one, other)) {
      for (String name : identifiers(each)) {
        isAnnounced |= announced.contains(name);
        unused.remove(name);
      }
    }
    return isAnnounced;
  }

  private String collision(
      Origin origin, Definition definition, Definition other, List<String> parts) {
    Origin first = origins.getOrDefault(other.heading(), origin);
    String advice;
    if (first == Origin.NEEDED) {
      advice = "remove the first: the server needs the other";
    } else if (first == origin) {
      advice = "remove one of the two";
    } else {
      String name = other.names().isEmpty() ? other.oid() : other.names().getFirst();
      replaceable.add(name);
      if (origin == Origin.SHIPPED) {
        files.add(file(definition));
      }
      advice = "remove one of the two, or set schema.replace = [\"" + name + "\"] to use the first";
    }
    boolean isOtherFirst = first != Origin.NEEDED;
    return text(isOtherFirst ? other : definition)
        + " differs from "
        + text(isOtherFirst ? definition : other)
        + " in "
        + joined(parts)
        + ": "
        + advice;
  }

  /**
   * Returns the definitions that count.
   *
   * @throws InvalidSchemaException if definitions differ without an announcement
   */
  List<Definition> definitions() {
    if (!collisions.isEmpty()) {
      throw new InvalidSchemaException(message());
    }
    for (String name : unused) {
      notes.accept(
          "nyala.schema.replace: '"
              + name
              + "' replaces nothing, no other definition of it differs");
    }
    return definitions;
  }

  private String message() {
    int described = Math.min(collisions.size(), MOST_DESCRIBED);
    String message = String.join("; ", collisions.subList(0, described));
    if (collisions.size() > described) {
      message += "; and " + (collisions.size() - described) + " more";
    }
    return replaceable.size() < 2
        ? message
        : message
            + "; to use yours in place of all: schema.replace = [\""
            + String.join("\", \"", replaceable)
            + "\"]"
            + instead();
  }

  /* A file that defines anew what a shipped one has, such as rfc2307bis, takes its whole place. */
  private String instead() {
    return files.isEmpty()
        ? ""
        : "; to use your files in place of the shipped ones as a whole: schema.without = [\""
            + String.join("\", \"", files)
            + "\"]";
  }

  private static String file(Definition definition) {
    String where = definition.where();
    return where.substring(where.lastIndexOf('/') + 1).replaceFirst("[.][a-z]+:[0-9]+$", "");
  }

  /**
   * Returns the definitions that take the place of others, under the kind with a name or identifier
   * that only the replaced ones have.
   */
  Map<String, Definition> replacements() {
    return replacements;
  }

  /** Returns the key of a name or identifier of a kind of definition. */
  static String key(Class<? extends Definition> kind, String name) {
    return kind.getSimpleName() + ' ' + name.toLowerCase(Locale.ROOT);
  }

  private static List<String> keys(Definition definition) {
    return identifiers(definition).stream().map(name -> key(definition.getClass(), name)).toList();
  }

  private static List<String> identifiers(Definition definition) {
    List<String> identifiers = new ArrayList<>(definition.names());
    identifiers.add(definition.oid());
    return identifiers;
  }

  private static String joined(List<String> parts) {
    return String.join(", ", parts);
  }

  private static String text(Definition definition) {
    String name = definition.names().isEmpty() ? "" : " '" + definition.names().getFirst() + "'";
    return definition.where() + ": " + definition.oid() + name;
  }
}
