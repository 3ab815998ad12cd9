package org.nyala.core.schema.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.InvalidSchemaException;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SecretTypes;

/**
 * The schema of an installation: the files that come with the server, and an administrator's own
 * beside them or in folders elsewhere, which go before those.
 *
 * <p>An own file takes the place of a shipped one, or of one in a folder named before, that has the
 * same name up to {@code .schema} or {@code .ldif}. An own definition takes the place of a shipped
 * one with its object identifier or one of its names. A matching rule beside a syntax that it does
 * not compare is taken, as the files of Debian's packages are by slapd. Each of these is noted.
 *
 * <p>Confined to one running operation.
 */
public final class SchemaFolders {
  private final Consumer<String> notes;
  private final Map<String, SchemaSource> shipped = new LinkedHashMap<>();
  private final Map<String, SchemaSource> own = new LinkedHashMap<>();

  private SchemaFolders(Consumer<String> notes) {
    this.notes = notes;
  }

  /**
   * Loads the schema.
   *
   * @param installed the folder of the files that come with the server, to which own ones may have
   *     been added; null for the files inside the program
   * @param folders the administrator's own, in the order in which they are read
   * @param secrets the types whose values are secrets
   * @param notes receives one line for each file or definition that takes the place of another,
   *     does not count, or contradicts itself without harm
   * @throws IOException if a folder or a file cannot be read
   * @throws InvalidSchemaException if a definition is not valid, with its file and line
   */
  public static Schema load(
      @Nullable Path installed, List<Path> folders, SecretTypes secrets, Consumer<String> notes)
      throws IOException {
    SchemaFolders schema = new SchemaFolders(notes);
    if (installed == null) {
      SchemaLoader.bundled().forEach(source -> schema.shipped.put(stem(source.name()), source));
    } else {
      schema.addInstalled(installed);
    }
    for (Path folder : folders) {
      schema.addOwn(folder);
    }
    List<String> places = new ArrayList<>();
    if (installed != null) {
      places.add(installed.toString());
    }
    folders.forEach(folder -> places.add(folder.toString()));
    return schema.link(secrets).withPlaces(places);
  }

  private void addInstalled(Path folder) throws IOException {
    List<String> names = SchemaLoader.bundledNames();
    for (Path file : files(folder)) {
      SchemaSource source = source(file, String.valueOf(file.getFileName()));
      (names.contains(source.name()) ? shipped : own).put(stem(source.name()), source);
    }
  }

  private void addOwn(Path folder) throws IOException {
    for (Path file : files(folder)) {
      String stem = stem(String.valueOf(file.getFileName()));
      SchemaSource replaced = shipped.remove(stem);
      SchemaSource earlier = own.put(stem, source(file, file.toString()));
      SchemaSource first = replaced == null ? earlier : replaced;
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
    return name.endsWith(".schema") || name.endsWith(".ldif");
  }

  private static String stem(String name) {
    return name.substring(0, name.lastIndexOf('.'));
  }

  /* Comments of old files are in encodings of all kinds; their definitions are mostly ASCII. */
  private static SchemaSource source(Path file, String name) throws IOException {
    return new SchemaSource(name, new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
  }

  private Schema link(SecretTypes secrets) {
    DefinitionParser parser = new DefinitionParser();
    SchemaFileParser files = new SchemaFileParser(parser);
    List<Definition> all = parser.definitions();
    files.parse(SchemaLoader.system());
    int systemEnd = all.size();
    shipped.values().forEach(files::parse);
    int shippedEnd = all.size();
    own.values().forEach(files::parse);
    DefinitionPrecedence precedence = new DefinitionPrecedence(notes);
    precedence.addFirst(all.subList(0, systemEnd));
    precedence.addOwn(all.subList(shippedEnd, all.size()));
    precedence.addShipped(all.subList(systemEnd, shippedEnd));
    SchemaLinker.Linked linked = SchemaLinker.link(precedence.definitions(), List.of(), secrets);
    return linked.tolerating(notes);
  }
}
