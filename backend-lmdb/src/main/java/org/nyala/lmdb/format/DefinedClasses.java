package org.nyala.lmdb.format;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.env.SeekCursor;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.env.TxnHandle;

/**
 * Requires a schema that defines the object classes of a store. Their names are read from the
 * equality index of {@code objectClass}, a key for each class; without that index, which is one of
 * the default ones, only a verification finds what is missing. Stateless.
 */
public final class DefinedClasses {
  /** The most missing classes that a message names. */
  private static final int MOST = 50;

  private DefinedClasses() {}

  /**
   * Refuses a schema that lacks object classes, naming them, their files and the folders searched.
   *
   * @throws StoreException if one is not defined
   */
  public static void require(TxnHandle slot, Schema schema, StoreMeta meta) {
    List<String> missing = missing(slot, schema, meta);
    if (!missing.isEmpty()) {
      DefinitionOrigins origins = DefinitionOrigins.read(slot.environment(), slot.txn());
      throw new StoreException(
          "the store in "
              + slot.environment().directory()
              + " has object classes that the schema does not define: "
              + String.join(", ", missing.stream().map(origins::text).toList())
              + "; the data is unchanged; "
              + DefinedTypes.advice(schema));
    }
  }

  /** Returns the names, or object identifiers of former definitions, that entries have. */
  private static List<String> missing(TxnHandle slot, Schema schema, StoreMeta meta) {
    List<String> missing = new ArrayList<>();
    AttributeType type = schema.attributeType("objectClass");
    if (type == null || !isIndexed(meta, type)) {
      return missing;
    }
    ByteAppender prefix = new ByteAppender(64);
    IndexKeys.appendHeader(
        meta.attributes().id(AttributeDescription.of(type)), IndexKind.EQUALITY, prefix);
    byte[] header = prefix.toByteArray();
    try (SeekCursor cursor = slot.openCursor(slot.environment().index())) {
      boolean more = cursor.seekOrNext(header, header.length);
      while (more && missing.size() < MOST && begins(cursor.key(), header)) {
        byte[] key = new byte[cursor.key().remaining() - IndexKeys.BLOCK_LENGTH];
        cursor.key().get(0, key);
        String name = name(key, header.length);
        if (schema.objectClass(name) == null) {
          missing.add(name);
        }
        more = cursor.seekOrNext(key, key.length, -1);
      }
    }
    return missing;
  }

  private static boolean isIndexed(StoreMeta meta, AttributeType type) {
    return meta.indexes().stream()
        .anyMatch(index -> index.type().equals(type) && index.kinds().contains(IndexKind.EQUALITY));
  }

  private static boolean begins(ByteBuffer key, byte[] header) {
    return key.remaining() > header.length + IndexKeys.BLOCK_LENGTH
        && key.slice(0, header.length).equals(ByteBuffer.wrap(header));
  }

  /* The value stands before its terminator. */
  private static String name(byte[] key, int start) {
    return new String(key, start, key.length - start - 1, StandardCharsets.UTF_8);
  }
}
