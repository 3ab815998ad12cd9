package org.nyala.lmdb.format;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.lmdbjava.Txn;
import org.nyala.core.schema.InvalidSchemaException;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.DefinitionKind;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.core.schema.load.ExtendedSchema.Addition;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.env.StoreException;

/**
 * The stored form of the definitions that were added to the schema's files: one value of {@code
 * meta}.
 *
 * <pre>
 *   schema            attributeTypes: ( 1.2.3 NAME 'a' ... )      a line for each, in their order
 * </pre>
 */
public final class StoredSchema {
  /** The key in {@code meta}. */
  public static final String KEY = "schema";

  private static final String SEPARATOR = ": ";

  private StoredSchema() {}

  /**
   * Returns the definitions that the store of a data directory keeps, added to a schema of files.
   *
   * @throws StoreException if it cannot be read
   */
  public static ExtendedSchema read(Path directory, Schema schema, LmdbSettings settings) {
    try (LmdbEnvironment environment = LmdbEnvironment.open(directory, settings.asReadOnly());
        Txn<ByteBuffer> txn = environment.beginRead()) {
      return read(environment, txn, schema);
    }
  }

  /**
   * Returns the schema as a store extends it.
   *
   * @param base the schema of the files
   * @throws StoreException if the definitions do not fit the files'
   */
  public static ExtendedSchema read(LmdbEnvironment environment, Txn<ByteBuffer> txn, Schema base) {
    byte[] key = KEY.getBytes(StandardCharsets.UTF_8);
    ByteBuffer value =
        environment.meta().get(txn, ByteBuffer.allocateDirect(key.length).put(key).flip());
    if (value == null) {
      return ExtendedSchema.of(base);
    }
    try {
      return ExtendedSchema.of(base, additions(StandardCharsets.UTF_8.decode(value).toString()));
    } catch (InvalidSchemaException e) {
      throw new StoreException(
          "the definitions in the store in "
              + environment.directory()
              + " do not fit those of the schema's files: "
              + e.getMessage(),
          e);
    }
  }

  private static List<Addition> additions(String text) {
    List<Addition> additions = new ArrayList<>();
    for (String line : text.lines().toList()) {
      int separator = line.indexOf(SEPARATOR);
      DefinitionKind kind =
          separator < 0 ? null : DefinitionKind.ofAttribute(line.substring(0, separator));
      if (kind == null) {
        throw new StoreException("the store's definitions are damaged at: " + line);
      }
      additions.add(ExtendedSchema.parse(kind, line.substring(separator + SEPARATOR.length())));
    }
    return additions;
  }

  /** Returns the text of the definitions; empty if there are none. */
  public static String text(ExtendedSchema schema) {
    StringBuilder text = new StringBuilder();
    for (Addition addition : schema.additions()) {
      text.append(addition.kind().attribute()).append(SEPARATOR).append(addition.text());
      text.append('\n');
    }
    return text.toString();
  }

  public static void write(
      LmdbEnvironment environment, Txn<ByteBuffer> txn, ExtendedSchema schema) {
    byte[] key = KEY.getBytes(StandardCharsets.UTF_8);
    byte[] value = text(schema).getBytes(StandardCharsets.UTF_8);
    environment
        .meta()
        .put(
            txn,
            ByteBuffer.allocateDirect(key.length).put(key).flip(),
            ByteBuffer.allocateDirect(value.length).put(value).flip());
  }
}
