package org.nyala.loadtest.caching;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sleepycat.je.DatabaseEntry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.schema.Normalizer;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.format.AttributeNumbers;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.lmdb.format.StoreMeta;

/**
 * The meta data of a caching store: rows of text, {@code version} last, which tells that the load
 * is complete. Stateless.
 *
 * <pre>
 *   suffixes      DNs, one a line
 *   attributes    descriptions by number, from 1, one a line
 *   indexes       type, blank, kinds, one a line
 *   nextEntryId   decimal
 *   version       version of this format, dot, version of the normalisers
 * </pre>
 */
final class JeMeta {
  private static final String VERSION = "1." + Normalizer.VERSION;

  private JeMeta() {}

  /** Writes the meta data of a store that is otherwise complete. */
  static void write(JeStore store, StoreMeta meta) {
    List<String> attributes = new ArrayList<>();
    for (int id = 1; id <= meta.attributes().size(); id++) {
      attributes.add(meta.attributes().description(id).name());
    }
    put(store, "suffixes", String.join("\n", meta.suffixes()));
    put(store, "attributes", String.join("\n", attributes));
    put(
        store,
        "indexes",
        String.join(
            "\n",
            meta.indexes().stream()
                .map(index -> index.type().name() + ' ' + index.kindsText())
                .toList()));
    put(store, "nextEntryId", Long.toString(meta.nextEntryId()));
    put(store, "version", VERSION);
  }

  /**
   * Reads the meta data.
   *
   * @throws StoreException if the load did not end, the format is another one, or the schema is
   */
  static StoreMeta read(JeStore store, Schema schema) {
    String version = get(store, "version");
    if (!VERSION.equals(version)) {
      throw new StoreException(
          "the caching store has "
              + (version == null ? "no version (a load that did not end?)" : "version " + version)
              + ", not "
              + VERSION
              + ": load it again");
    }
    try {
      List<IndexDefinition> indexes = new ArrayList<>();
      for (String line : lines(store, "indexes")) {
        int blank = line.indexOf(' ');
        indexes.add(
            IndexDefinition.parse(schema, line.substring(0, blank), line.substring(blank + 1)));
      }
      long nextId = Long.parseLong(String.join("", lines(store, "nextEntryId")));
      List<String> suffixes = lines(store, "suffixes");
      return new StoreMeta(1, suffixes, attributes(store, schema), indexes, nextId, List.of());
    } catch (IllegalArgumentException e) {
      throw new StoreException(
          "the caching store does not match the schema: " + e.getMessage() + "; load it again", e);
    }
  }

  private static AttributeTable attributes(JeStore store, Schema schema) {
    AttributeNumbers numbers = new AttributeNumbers(AttributeTable.EMPTY);
    for (String name : lines(store, "attributes")) {
      AttributeDescription description = AttributeDescription.parse(schema, name);
      if (description == null) {
        throw new IllegalArgumentException("unknown attribute " + name);
      }
      numbers.id(description);
    }
    return numbers.table();
  }

  private static List<String> lines(JeStore store, String key) {
    String text = get(store, key);
    return text == null || text.isEmpty() ? List.of() : List.of(text.split("\n", -1));
  }

  private static void put(JeStore store, String key, String value) {
    store
        .meta()
        .put(
            null, new DatabaseEntry(key.getBytes(UTF_8)), new DatabaseEntry(value.getBytes(UTF_8)));
  }

  private static @Nullable String get(JeStore store, String key) {
    byte[] bytes = key.getBytes(UTF_8);
    byte[] value = JeStore.get(store.meta(), bytes, bytes.length);
    return value == null ? null : new String(value, UTF_8);
  }
}
