package org.nyala.lmdb.format;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.lmdbjava.Txn;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.StoreException;

/** Requires a schema that defines the attribute types of a store. Stateless. */
public final class DefinedTypes {
  private DefinedTypes() {}

  /**
   * Refuses a schema that lacks attribute types, naming all of them and the folders searched.
   *
   * @param byName the prefixes of keys that begin with a type
   * @param byValue the prefix of keys whose values are attribute descriptions
   * @throws StoreException if one is not defined
   */
  static void require(
      LmdbEnvironment environment,
      Txn<ByteBuffer> txn,
      Schema schema,
      List<String> byName,
      String byValue) {
    Set<String> missing = new TreeSet<>();
    for (String prefix : byName) {
      for (MetaTexts.Item item : MetaTexts.list(environment.meta(), txn, prefix)) {
        addMissing(schema, item.name(), '/', missing);
      }
    }
    for (MetaTexts.Item item : MetaTexts.list(environment.meta(), txn, byValue)) {
      addMissing(schema, item.value(), ';', missing);
    }
    if (!missing.isEmpty()) {
      throw new StoreException(
          text(environment, schema, DefinitionOrigins.read(environment, txn), missing));
    }
  }

  private static void addMissing(Schema schema, String text, char end, Set<String> missing) {
    int length = text.indexOf(end);
    String type = length < 0 ? text : text.substring(0, length);
    if (schema.attributeType(type) == null) {
      missing.add(type);
    }
  }

  private static String text(
      LmdbEnvironment environment, Schema schema, DefinitionOrigins origins, Set<String> missing) {
    return "the store in "
        + environment.directory()
        + " has attribute types that the schema does not define: "
        + String.join(", ", missing.stream().map(origins::text).toList())
        + "; the data is unchanged; "
        + advice(schema);
  }

  /** Returns the place where definitions of a store are missing, and what to do. */
  public static String advice(Schema schema) {
    String searched =
        schema.places().isEmpty() ? "" : " (searched: " + String.join(", ", schema.places()) + ")";
    return "the schema files"
        + searched
        + " lack these definitions: put them back, name the folder of the files that have them in"
        + " nyala.schema.folders, or use the configuration that the data was imported with";
  }
}
