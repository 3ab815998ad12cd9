package org.nyala.loadtest.caching;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.lmdb.env.StoreException;

/**
 * The DNs and parents of entries that were parents of others, of which nothing changes any more.
 * Thread-safe. Bounded: an entry takes the place of another one.
 */
final class ParentNames {
  private static final int SLOTS = 1 << 14;
  private static final int DEEPEST = 4096;
  private static final byte[] NO_DN = {};

  private record Parent(long id, long parentId, byte[] dn) {}

  private final AtomicReferenceArray<@Nullable Parent> slots = new AtomicReferenceArray<>(SLOTS);

  /** Returns the DN of an entry; empty for 0, the parent of topmost entries. */
  byte[] dn(long id, RecordReader records) {
    return id == 0 ? NO_DN : parent(id, records, 0).dn();
  }

  /** Returns whether an entry is {@code ancestor} or is below it. */
  boolean isWithin(long id, long ancestor, RecordReader records) {
    long at = id;
    while (at != 0 && at != ancestor) {
      at = parent(at, records, 0).parentId();
    }
    return at != 0;
  }

  private Parent parent(long id, RecordReader records, int depth) {
    int slot = (int) id & SLOTS - 1;
    Parent known = slots.get(slot);
    if (known != null && known.id() == id) {
      return known;
    }
    Parent read = read(id, records, depth);
    slots.set(slot, read);
    return read;
  }

  private Parent read(long id, RecordReader records, int depth) {
    byte[] record = depth > DEEPEST ? null : records.read(id);
    if (record == null) {
      throw new StoreException("entry " + id + " is missing or its own ancestor: load it again");
    }
    ByteBuffer buffer = ByteBuffer.wrap(record);
    long parentId = buffer.getLong(EntryRecord.PARENT_ID_AT);
    byte[] parentDn = parentId == 0 ? NO_DN : parent(parentId, records, depth + 1).dn();
    EntryView view = new EntryView();
    view.wrap(id, buffer, 0, parentDn);
    return new Parent(id, parentId, view.dn());
  }
}
