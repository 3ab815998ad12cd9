package org.nyala.core.schema.load;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.nyala.core.schema.InvalidSchemaException;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SchemaDescriptions;

/**
 * Loads a {@link Schema} from files in OpenLDAP's syntax. The built-in syntaxes and matching rules
 * and the definitions that every server needs are always included.
 */
public final class SchemaLoader {
  private static final String SYSTEM = "system.schema";
  private static final List<String> BUNDLED =
      List.of(
          "core.schema",
          "cosine.schema",
          "dyngroup.schema",
          "inetorgperson.schema",
          "java.schema",
          "misc.schema",
          "namedobject.schema",
          "nis.schema",
          "nyala.schema",
          "openldap.schema",
          "ppolicy.schema");

  /** The names of the files that are read if the administrator says so, without their ends. */
  private static final List<String> OPTIONAL =
      List.of(
          "collective", "corba", "dsee", "duaconf", "msuser", "pmi", SchemaFolders.RFC_2307_BIS);

  private SchemaLoader() {}

  /** The names of the files that come with the server, in the order in which they are read. */
  public static List<String> bundledNames() {
    List<String> names = new ArrayList<>();
    names.add(SYSTEM);
    names.addAll(BUNDLED);
    return names;
  }

  /**
   * The names of the files inside the program that are read only if an administrator says so,
   * without their ends ({@link OwnSchema#with}).
   */
  public static List<String> optionalNames() {
    return OPTIONAL;
  }

  /** One of the files that are read only if an administrator says so. */
  static SchemaSource optional(String name) {
    return bundled("optional/" + name + SchemaFolders.ENDING);
  }

  /** The schema of the files that come with the server. */
  public static Schema standard() {
    return load(bundled());
  }

  /** The files that come with the server, without the one that it cannot do without. */
  static List<SchemaSource> bundled() {
    List<SchemaSource> sources = new ArrayList<>();
    for (String name : BUNDLED) {
      sources.add(bundled(name));
    }
    return sources;
  }

  /** The file that the server cannot do without. */
  static SchemaSource system() {
    return bundled(SYSTEM);
  }

  /**
   * The schema of the given files.
   *
   * @throws InvalidSchemaException if a definition is not valid, telling its file and line
   */
  public static Schema load(List<SchemaSource> sources) {
    DefinitionParser parser = new DefinitionParser();
    SchemaFileParser files = new SchemaFileParser(parser);
    files.parse(system());
    sources.forEach(files::parse);
    return SchemaLinker.link(parser.definitions());
  }

  /** A schema with additions, each of which is parsed already, be they sound or not. */
  static SchemaLinker.Linked extend(Schema schema, List<ExtendedSchema.Addition> additions) {
    DefinitionParser parser = described(schema);
    ExtendedSchema.addTo(parser, additions);
    SchemaLinker.Linked linked =
        SchemaLinker.link(parser.definitions(), schema.syntaxes(), schema.secretTypes());
    return new SchemaLinker.Linked(
        linked
            .schema()
            .withAttributeOptions(schema.attributeOptions())
            .withPlaces(schema.places(), schema.origins()),
        linked.contradictions(),
        linked.harmless());
  }

  /** A parser that knows the definitions of a schema. */
  static DefinitionParser described(Schema schema) {
    DefinitionParser parser = new DefinitionParser();
    for (String description : SchemaDescriptions.attributeTypes(schema)) {
      parser.addAttributeType(description, "schema in force");
    }
    for (String description : SchemaDescriptions.objectClasses(schema)) {
      parser.addObjectClass(description, "schema in force");
    }
    SchemaDescriptions.contentRules(schema)
        .forEach(description -> parser.addContentRule(description, "schema in force"));
    SchemaDescriptions.nameForms(schema)
        .forEach(description -> parser.addNameForm(description, "schema in force"));
    SchemaDescriptions.structureRules(schema)
        .forEach(description -> parser.addStructureRule(description, "schema in force"));
    return parser;
  }

  private static SchemaSource bundled(String name) {
    try (InputStream stream = SchemaLoader.class.getResourceAsStream(name)) {
      if (stream == null) {
        throw new IllegalStateException("bundled schema file " + name + " is missing");
      }
      return new SchemaSource(name, new String(stream.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
