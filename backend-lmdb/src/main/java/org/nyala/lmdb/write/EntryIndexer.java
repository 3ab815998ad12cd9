package org.nyala.lmdb.write;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.schema.AttributeType;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.lmdb.format.IndexKind;

/**
 * Emits every index key prefix of a stored entry: its place below its parent, its flags, and the
 * values of indexed attributes. Import, verification and writes all index through this class.
 *
 * <p>Confined to one running operation. The same prefix may come more than once for one entry.
 */
public final class EntryIndexer {
  private static final IndexKind[] NONE = {};

  private final IndexValues values = new IndexValues();
  private final ValueCursor cursor = new ValueCursor();
  private final AttributeType[] types;
  private final int[] plainIds;
  private final IndexKind[][] kinds;
  private byte[] scratch = new byte[256];

  /** Prepares for the entries of a table by the given definitions. */
  public EntryIndexer(AttributeTable table, List<IndexDefinition> definitions) {
    Map<AttributeType, IndexKind[]> byType = new HashMap<>();
    for (IndexDefinition definition : definitions) {
      byType.put(definition.type(), definition.kinds().toArray(IndexKind[]::new));
    }
    int size = table.size() + 1;
    types = new AttributeType[size];
    plainIds = new int[size];
    kinds = new IndexKind[size][];
    for (int id = 1; id < size; id++) {
      AttributeDescription description = table.description(id);
      types[id] = description.type();
      plainIds[id] = table.id(AttributeDescription.of(description.type()));
      kinds[id] = byType.getOrDefault(description.type(), NONE);
      requirePlain(description, plainIds[id]);
    }
  }

  private static void requirePlain(AttributeDescription description, int plainId) {
    if (plainId == AttributeTable.ABSENT) {
      throw new IllegalArgumentException(
          "attribute table without " + description.type() + " but with " + description);
    }
  }

  int tableSize() {
    return types.length - 1;
  }

  /** Emits the prefixes of an entry. */
  public void emit(EntryView entry, IndexValues.KeySink sink) {
    emitPlace(entry, sink);
    int count = entry.attributeCount();
    for (int index = 0; index < count; index++) {
      int id = entry.attributeId(index);
      IndexKind @Nullable [] wanted = kinds[id];
      if (wanted != null && wanted.length > 0) {
        emitAttribute(entry, index, id, wanted, sink);
      }
    }
  }

  /** Returns the number of the plain type of an attribute. */
  int plainId(int attributeId) {
    return plainIds[attributeId];
  }

  /**
   * Emits the prefixes of the values of some attributes.
   *
   * @param isTouched selects attributes, by the number of the plain type
   */
  public void emit(EntryView entry, boolean[] isTouched, IndexValues.KeySink sink) {
    int count = entry.attributeCount();
    for (int index = 0; index < count; index++) {
      int id = entry.attributeId(index);
      IndexKind @Nullable [] wanted = kinds[id];
      if (wanted != null && wanted.length > 0 && isTouched[plainIds[id]]) {
        emitAttribute(entry, index, id, wanted, sink);
      }
    }
  }

  /** Emits the prefix for the presence of an attribute, if that is indexed. */
  void emitPresence(int attributeId, IndexValues.KeySink sink) {
    for (IndexKind kind : kinds[attributeId]) {
      if (kind == IndexKind.PRESENCE) {
        values.emitPresence(plainIds[attributeId], sink);
      }
    }
  }

  /** Emits the prefixes of one value, except for that of presence. */
  void emitValue(int attributeId, byte[] source, int length, IndexValues.KeySink sink) {
    for (IndexKind kind : kinds[attributeId]) {
      if (kind != IndexKind.PRESENCE) {
        values.emit(plainIds[attributeId], types[attributeId], kind, source, 0, length, sink);
      }
    }
  }

  /** Returns whether different values of an attribute may have prefixes in common. */
  boolean hasSharedKeys(int attributeId) {
    for (IndexKind kind : kinds[attributeId]) {
      if (kind.isShared()) {
        return true;
      }
    }
    return false;
  }

  /** Emits the prefixes of one value that other values may have in common with it. */
  void emitShared(int attributeId, byte[] source, int length, IndexValues.KeySink sink) {
    for (IndexKind kind : kinds[attributeId]) {
      if (kind.isShared()) {
        values.emit(plainIds[attributeId], types[attributeId], kind, source, 0, length, sink);
      }
    }
  }

  /** Emits the prefixes that are not for values: the place below the parent, and the flags. */
  void emitPlace(EntryView entry, IndexValues.KeySink sink) {
    values.emitParent(entry.parentId(), sink);
    values.emitFlags(entry.flags() & 0xff, sink);
  }

  private void emitAttribute(
      EntryView entry, int index, int id, IndexKind[] wanted, IndexValues.KeySink sink) {
    cursor.open(entry, index);
    boolean first = true;
    while (cursor.next()) {
      int length = cursor.length();
      if (scratch.length < length) {
        scratch = new byte[Math.max(length, scratch.length * 2)];
      }
      cursor.buffer().get(cursor.start(), scratch, 0, length);
      for (IndexKind kind : wanted) {
        if (kind != IndexKind.PRESENCE || first) {
          values.emit(plainIds[id], types[id], kind, scratch, 0, length, sink);
        }
      }
      first = false;
    }
  }
}
