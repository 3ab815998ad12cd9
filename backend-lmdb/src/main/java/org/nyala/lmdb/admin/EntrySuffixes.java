package org.nyala.lmdb.admin;

import java.nio.ByteBuffer;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.env.TxnHandle;
import org.nyala.lmdb.format.StoreLayout;

/**
 * The naming contexts of entries, found through their ancestors; only those of the last parent are
 * remembered.
 *
 * <p>Confined to one running operation.
 */
final class EntrySuffixes {
  private static final int DEEPEST = 4096;

  private final TxnHandle slot;
  private final Schema schema;
  private final StoreLayout layout;
  private final EntryView ancestor = new EntryView();
  private final ByteAppender key = new ByteAppender(Long.BYTES);
  private long knownParent;
  private int known;

  EntrySuffixes(TxnHandle slot, Schema schema, StoreLayout layout) {
    this.slot = slot;
    this.schema = schema;
    this.layout = layout;
  }

  /** Returns the index of the naming context of an entry; -1 if its ancestors lead to none. */
  int of(EntryView entry) {
    long parentId = entry.parentId();
    if (parentId == 0) {
      return ofTop(entry);
    }
    if (parentId != knownParent) {
      known = below(parentId);
      knownParent = parentId;
    }
    return known;
  }

  private int below(long parentId) {
    long id = parentId;
    for (int depth = 0; depth < DEEPEST; depth++) {
      key.clear().appendLong(id);
      ByteBuffer record = slot.get(slot.environment().id2entry(), key.array(), key.length());
      if (record == null || record.remaining() < EntryRecord.HEADER_LENGTH) {
        return -1;
      }
      ancestor.wrap(id, record, 0, new byte[0]);
      id = ancestor.parentId();
      if (id == 0) {
        return ofTop(ancestor);
      }
    }
    return -1;
  }

  private int ofTop(EntryView top) {
    byte[] name = new byte[top.rdnLength()];
    top.buffer().get(top.rdnStart(), name);
    try {
      return layout.suffixOf(DnParser.parse(schema, name, Integer.MAX_VALUE, Integer.MAX_VALUE));
    } catch (InvalidDnException e) {
      // This is reported by the check that looks names up.
      return -1;
    }
  }
}
