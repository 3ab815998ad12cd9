package org.nyala.lmdb.format;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.lmdbjava.Txn;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.bytes.ByteDigest;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.SeekCursor;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.env.TxnHandle;

/**
 * Requires a schema that defines the object classes of a store. Their names are read from the
 * equality index of {@code objectClass}, a key for each class. Without that index, which is one of
 * the default ones, all entries are read, if the schema has other classes than when the store noted
 * that none is missing:
 *
 * <pre>
 *   classes           SHA-256 of the identifiers and names of all classes, in hexadecimal digits
 * </pre>
 *
 * <p>Stateless.
 */
public final class DefinedClasses {
  /** The most missing classes that a message names. */
  private static final int MOST = 50;

  private static final String KEY = "classes";

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

  /** Returns whether a store has noted that it has no other classes than those of a schema. */
  static boolean isNoted(LmdbEnvironment environment, Txn<ByteBuffer> txn, Schema schema) {
    return digest(schema).equals(MetaTexts.get(environment.meta(), txn, KEY));
  }

  /** Notes that a store has no other classes than those of a schema. */
  static void note(LmdbEnvironment environment, Txn<ByteBuffer> txn, Schema schema) {
    MetaTexts.put(environment.meta(), txn, KEY, digest(schema));
  }

  private static String digest(Schema schema) {
    List<String> lines = new ArrayList<>();
    for (ObjectClass each : schema.objectClasses()) {
      lines.add(each.oid() + ' ' + each.names().stream().sorted().toList() + '\n');
    }
    lines.sort(null);
    byte[] text = String.join("", lines).getBytes(StandardCharsets.UTF_8);
    return HexFormat.of().formatHex(ByteDigest.of("SHA-256").digest(text));
  }

  /** Returns the names, or object identifiers of former definitions, that entries have. */
  private static List<String> missing(TxnHandle slot, Schema schema, StoreMeta meta) {
    AttributeType type = schema.attributeType("objectClass");
    if (type == null) {
      return List.of();
    }
    int id = meta.attributes().id(AttributeDescription.of(type));
    if (isIndexed(meta, type)) {
      return missingInIndex(slot, schema, id);
    }
    return isNoted(slot.environment(), slot.txn(), schema)
        ? List.of()
        : missingInEntries(slot, schema, id);
  }

  private static List<String> missingInEntries(TxnHandle slot, Schema schema, int attributeId) {
    Set<String> missing = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    Set<ByteBuffer> seen = new HashSet<>();
    EntryView view = new EntryView();
    ValueCursor values = new ValueCursor();
    try (SeekCursor cursor = slot.openCursor(slot.environment().id2entry())) {
      boolean more = cursor.first();
      while (more && missing.size() < MOST) {
        view.wrap(cursor.key().getLong(0), cursor.value(), 0, new byte[0]);
        for (int index = 0; index < view.attributeCount(); index++) {
          if (view.attributeId(index) == attributeId) {
            values.open(view, index);
            addMissing(values, schema, seen, missing);
          }
        }
        more = cursor.next();
      }
    }
    return List.copyOf(missing);
  }

  private static void addMissing(
      ValueCursor values, Schema schema, Set<ByteBuffer> seen, Set<String> missing) {
    while (values.next()) {
      if (!seen.contains(values.buffer().slice(values.start(), values.length()))) {
        byte[] value = values.value();
        seen.add(ByteBuffer.wrap(value));
        String name = new String(value, StandardCharsets.UTF_8);
        if (schema.objectClass(name) == null) {
          missing.add(name);
        }
      }
    }
  }

  private static List<String> missingInIndex(TxnHandle slot, Schema schema, int attributeId) {
    List<String> missing = new ArrayList<>();
    ByteAppender prefix = new ByteAppender(64);
    IndexKeys.appendHeader(attributeId, IndexKind.EQUALITY, prefix);
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

  /** Requires a schema that defines the attribute types of a store. Stateless. */
  public static final class DefinedTypes {
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
        LmdbEnvironment environment,
        Schema schema,
        DefinitionOrigins origins,
        Set<String> missing) {
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
          schema.places().isEmpty()
              ? ""
              : " (searched: " + String.join(", ", schema.places()) + ")";
      return "the schema files"
          + searched
          + " lack these definitions: put them back, name the folder of the files that have them in"
          + " nyala.schema.folders, or use the configuration that the data was imported with";
    }
  }
}
