package org.nyala.lmdb;

import org.nyala.core.entry.EntryView;
import org.nyala.lmdb.env.SeekCursor;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.env.TxnHandle;

/**
 * The DNs and parents of entries that recently were parents of others, for one epoch at a time: the
 * DN of an entry is made of its RDN and its parent's DN, and scope is checked by walking up.
 *
 * <p>Confined to one running operation. Hot. Direct-mapped and bounded; a DN, once made, is never
 * changed, so it may be borrowed beyond the epoch.
 */
final class ParentCache {
  private static final int SLOTS = 2048;
  private static final int DEEPEST = 4096;
  private static final byte[] NO_DN = {};

  private final TxnHandle slot;
  private final SeekCursor records;
  private final EntryView view = new EntryView();
  private final long[] ids = new long[SLOTS];
  private final long[] epochs = new long[SLOTS];
  private final long[] parents = new long[SLOTS];
  private final byte[][] dns = new byte[SLOTS][];

  ParentCache(TxnHandle slot, SeekCursor records) {
    this.slot = slot;
    this.records = records;
  }

  /** Returns the DN of an entry that is a parent; empty for 0, the parent of topmost entries. */
  byte[] dn(long id) {
    return id == 0 ? NO_DN : dns[locate(id)];
  }

  /** Returns the parent of an entry that is a parent itself. */
  long parentOf(long id) {
    return parents[locate(id)];
  }

  /** Returns whether {@code id} is {@code ancestor} or is below it. */
  boolean isWithin(long id, long ancestor) {
    long at = id;
    while (at != 0 && at != ancestor) {
      at = parentOf(at);
    }
    return at != 0;
  }

  private int locate(long id) {
    int index = (int) id & SLOTS - 1;
    if (ids[index] != id || epochs[index] != slot.epoch()) {
      load(id, 0);
    }
    return index;
  }

  private void load(long id, int depth) {
    if (depth > DEEPEST || !records.seekId(id)) {
      throw new StoreException("entry " + id + " is missing or its own ancestor: run verify");
    }
    view.wrap(id, records.value(), 0, NO_DN);
    long parent = view.parentId();
    byte[] rdn = new byte[view.rdnLength()];
    view.buffer().get(view.rdnStart(), rdn);
    byte[] dn = rdn;
    if (parent != 0) {
      int parentIndex = (int) parent & SLOTS - 1;
      if (ids[parentIndex] != parent || epochs[parentIndex] != slot.epoch()) {
        load(parent, depth + 1);
      }
      dn = join(rdn, dns[parentIndex]);
    }
    int index = (int) id & SLOTS - 1;
    ids[index] = id;
    epochs[index] = slot.epoch();
    parents[index] = parent;
    dns[index] = dn;
  }

  private static byte[] join(byte[] rdn, byte[] parentDn) {
    byte[] dn = new byte[rdn.length + 1 + parentDn.length];
    System.arraycopy(rdn, 0, dn, 0, rdn.length);
    dn[rdn.length] = ',';
    System.arraycopy(parentDn, 0, dn, rdn.length + 1, parentDn.length);
    return dn;
  }
}
