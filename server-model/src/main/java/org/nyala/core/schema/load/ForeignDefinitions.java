package org.nyala.core.schema.load;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.InvalidSchemaException;

/**
 * The schema files of another server, compared with those that come with this one. Stateless.
 *
 * <p>A definition is shipped if one of the shipped files has it in a form that suits all entries
 * which suit the other server's ({@link DefinitionConflict}).
 */
public final class ForeignDefinitions {
  private ForeignDefinitions() {}

  /**
   * A file of another server.
   *
   * <p>Immutable.
   *
   * @param source the file
   * @param count the number of its definitions, macros aside
   * @param added the first names of those that no shipped file has
   * @param replacing the first names of those that a shipped file has with another meaning
   * @param unsuited a line for each of these whose entries may not suit the shipped one: its first
   *     name, and the parts in conflict
   */
  public record Compared(
      SchemaSource source,
      int count,
      List<String> added,
      List<String> replacing,
      List<String> unsuited) {
    public Compared {
      added = List.copyOf(added);
      replacing = List.copyOf(replacing);
      unsuited = List.copyOf(unsuited);
    }

    /** Returns whether the shipped files suit all of it. */
    public boolean isShipped() {
      return added.isEmpty() && unsuited.isEmpty();
    }
  }

  /**
   * Compares files, in the order in which the other server reads them: macros of the earlier ones
   * count in the later ones.
   *
   * @throws InvalidSchemaException if a definition cannot be read, with its file and line
   */
  public static List<Compared> compare(List<SchemaSource> sources) {
    Map<String, Definition> shipped = shipped();
    DefinitionParser parser = new DefinitionParser();
    SchemaFileParser files = new SchemaFileParser(parser);
    List<Integer> ends = new ArrayList<>();
    for (SchemaSource source : sources) {
      files.parse(source);
      ends.add(parser.definitions().size());
    }
    List<Definition> everything = new ArrayList<>(shipped.values());
    everything.addAll(parser.definitions());
    DefinitionDifference difference = new DefinitionDifference(everything);
    List<Compared> all = new ArrayList<>();
    int start = 0;
    for (int i = 0; i < sources.size(); i++) {
      List<Definition> own = parser.definitions().subList(start, ends.get(i));
      all.add(compare(sources.get(i), own, shipped, difference));
      start = ends.get(i);
    }
    return all;
  }

  private static Compared compare(
      SchemaSource source,
      List<Definition> own,
      Map<String, Definition> shipped,
      DefinitionDifference difference) {
    List<String> added = new ArrayList<>();
    List<String> replacing = new ArrayList<>();
    List<String> unsuited = new ArrayList<>();
    for (Definition definition : own) {
      Definition other = counterpart(definition, shipped);
      if (other == null) {
        added.add(name(definition));
        continue;
      }
      if (!difference.parts(definition, other).isEmpty()) {
        replacing.add(name(definition));
      }
      List<String> parts = DefinitionConflict.of(definition, other, difference);
      if (!parts.isEmpty()) {
        unsuited.add(name(definition) + " (" + String.join(", ", parts) + ')');
      }
    }
    return new Compared(source, own.size(), added, replacing, unsuited);
  }

  private static @Nullable Definition counterpart(
      Definition definition, Map<String, Definition> shipped) {
    Definition found = shipped.get(key(definition, definition.oid()));
    for (String name : definition.names()) {
      if (found == null) {
        found = shipped.get(key(definition, name));
      }
    }
    return found;
  }

  private static Map<String, Definition> shipped() {
    DefinitionParser parser = new DefinitionParser();
    SchemaFileParser files = new SchemaFileParser(parser);
    files.parse(SchemaLoader.system());
    SchemaLoader.bundled().forEach(files::parse);
    Map<String, Definition> shipped = new HashMap<>();
    for (Definition definition : parser.definitions()) {
      shipped.putIfAbsent(key(definition, definition.oid()), definition);
      definition.names().forEach(name -> shipped.putIfAbsent(key(definition, name), definition));
    }
    return shipped;
  }

  private static String key(Definition definition, String name) {
    return definition.getClass().getSimpleName() + ' ' + name.toLowerCase(Locale.ROOT);
  }

  private static String name(Definition definition) {
    return definition.names().isEmpty() ? definition.oid() : definition.names().getFirst();
  }
}
