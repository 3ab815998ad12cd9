package org.nyala.core.schema.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.InvalidSchemaException;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SecretTypes;
import org.nyala.core.schema.load.DefinitionPrecedence.Origin;

/**
 * The schema of an installation: the files that come with the server, and an administrator's own
 * beside them or in folders elsewhere, which go before those.
 *
 * <p>An own file takes the place of a shipped one, or of one in a folder named before, that has the
 * same name up to {@code .schema} or {@code .ldif}. An own definition that differs from a shipped
 * one with its object identifier or one of its names takes its place if that is announced, and is
 * refused otherwise; one that means the same counts once. A matching rule beside a syntax that it
 * does not compare is taken, as the files of Debian's packages are by slapd. Each of these is
 * noted.
 *
 * <p>Confined to one running operation.
 */
public final class SchemaFolders {
  /** The end of the names of files in OpenLDAP's syntax. */
  static final String ENDING = ".schema";

  /** The file that defines the object identifiers of another one anew. */
  static final String RFC_2307_BIS = "rfc2307bis";

  private static final String RFC_2307 = "nis";

  private final Consumer<String> notes;
  private final Map<String, SchemaSource> shipped = new LinkedHashMap<>();
  private final Map<String, SchemaSource> added = new LinkedHashMap<>();
  private final Map<String, SchemaSource> own = new LinkedHashMap<>();

  private SchemaFolders(Consumer<String> notes) {
    this.notes = notes;
  }

  /**
   * Loads the schema.
   *
   * @param installed the folder of the files that come with the server, to which own ones may have
   *     been added; null for the files inside the program
   * @param chosen the administrator's own files, and what they change in the shipped ones
   * @param secrets the types whose values are secrets
   * @param notes receives one line for each file or definition that takes the place of another,
   *     does not count, or contradicts itself without harm
   * @throws IOException if a folder or a file cannot be read
   * @throws InvalidSchemaException if a definition is not valid, or differs from another one whose
   *     replacement is not announced, with file and line; if there is no such file to leave out or
   *     to take
   */
  public static Schema load(
      @Nullable Path installed, OwnSchema chosen, SecretTypes secrets, Consumer<String> notes)
      throws IOException {
    SchemaFolders schema = new SchemaFolders(notes);
    if (installed == null) {
      SchemaLoader.bundled().forEach(source -> schema.shipped.put(stem(source.name()), source));
    } else {
      schema.addInstalled(installed);
    }
    schema.leaveOut(chosen.without());
    schema.take(chosen.with());
    for (Path folder : chosen.folders()) {
      schema.addOwn(folder);
    }
    List<String> places = new ArrayList<>();
    if (installed != null) {
      places.add(installed.toString());
    }
    chosen.folders().forEach(folder -> places.add(folder.toString()));
    return schema.link(chosen.replaced(), secrets, places);
  }

  private void leaveOut(List<String> names) {
    for (String name : names) {
      SchemaSource left = shipped.remove(plain(name));
      if (left == null) {
        throw new InvalidSchemaException(
            "nyala.schema.without: there is no shipped file '"
                + name
                + "', expected one of "
                + String.join(", ", shipped.keySet()));
      }
      notes.accept(left.name() + " is left out");
    }
  }

  private void take(List<String> names) {
    for (String name : names) {
      String stem = plain(name);
      if (!SchemaLoader.optionalNames().contains(stem)) {
        throw new InvalidSchemaException(
            "nyala.schema.with: there is no file '"
                + name
                + "', expected one of "
                + String.join(", ", SchemaLoader.optionalNames()));
      }
      shipped.put(stem, SchemaLoader.optional(stem));
      SchemaSource replaced = stem.equals(RFC_2307_BIS) ? shipped.remove(RFC_2307) : null;
      if (replaced != null) {
        notes.accept(replaced.name() + " is left out, for " + stem + " takes its place");
      }
    }
  }

  private static String plain(String name) {
    return name.endsWith(ENDING) ? stem(name) : name;
  }

  private void addInstalled(Path folder) throws IOException {
    List<String> names = SchemaLoader.bundledNames();
    for (Path file : files(folder)) {
      SchemaSource source = source(file, String.valueOf(file.getFileName()));
      if (source.name().equals(names.getFirst())) {
        noteSystem(file, source);
        continue;
      }
      (names.contains(source.name()) ? shipped : added).put(stem(source.name()), source);
    }
  }

  /* It shows what the program has anyway, and may be that of an older version. */
  private void noteSystem(Path file, SchemaSource source) {
    if (!source.text().equals(SchemaLoader.system().text())) {
      notes.accept(file + " is ignored: the program's own counts, and differs");
    }
  }

  private void addOwn(Path folder) throws IOException {
    for (Path file : files(folder)) {
      String stem = stem(String.valueOf(file.getFileName()));
      SchemaSource replaced = shipped.remove(stem);
      SchemaSource beside = added.remove(stem);
      SchemaSource earlier = own.put(stem, source(file, file.toString()));
      SchemaSource first = replaced != null ? replaced : beside != null ? beside : earlier;
      if (first != null) {
        notes.accept(file + " is read instead of " + first.name());
      }
    }
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> listed = Files.list(folder)) {
      return listed.filter(SchemaFolders::isSchemaFile).sorted().toList();
    }
  }

  private static boolean isSchemaFile(Path file) {
    String name = String.valueOf(file.getFileName());
    return name.endsWith(ENDING) || name.endsWith(".ldif");
  }

  private static String stem(String name) {
    return name.substring(0, name.lastIndexOf('.'));
  }

  /* Comments of old files are in encodings of all kinds; their definitions are mostly ASCII. */
  private static SchemaSource source(Path file, String name) throws IOException {
    return new SchemaSource(name, new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
  }

  private Schema link(List<String> announced, SecretTypes secrets, List<String> places) {
    DefinitionParser parser = new DefinitionParser();
    SchemaFileParser files = new SchemaFileParser(parser);
    List<Definition> all = parser.definitions();
    files.parse(SchemaLoader.system());
    int systemEnd = all.size();
    shipped.values().forEach(files::parse);
    int shippedEnd = all.size();
    added.values().forEach(files::parse);
    int addedEnd = all.size();
    own.values().forEach(files::parse);
    Map<Origin, List<Definition>> origins = new EnumMap<>(Origin.class);
    origins.put(Origin.NEEDED, all.subList(0, systemEnd));
    origins.put(Origin.FOLDERS, all.subList(addedEnd, all.size()));
    origins.put(Origin.INSTALLED, all.subList(shippedEnd, addedEnd));
    origins.put(Origin.SHIPPED, all.subList(systemEnd, shippedEnd));
    List<Definition> ordered = origins.values().stream().flatMap(List::stream).toList();
    DefinitionPrecedence precedence = new DefinitionPrecedence(ordered, announced, notes);
    origins.forEach(precedence::add);
    List<Definition> definitions = precedence.definitions();
    SchemaLinker.Linked linked =
        SchemaLinker.link(definitions, List.of(), secrets, precedence.replacements());
    Map<String, String> from = new HashMap<>();
    for (Definition each : definitions) {
      if (each instanceof Definition.OfAttribute || each instanceof Definition.OfClass) {
        from.put(each.oid(), each.where());
      }
    }
    return linked.tolerating(notes).withPlaces(places, from);
  }
}
