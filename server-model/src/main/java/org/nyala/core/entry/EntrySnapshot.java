package org.nyala.core.entry;

import java.nio.ByteBuffer;

/**
 * A stored entry as it was at one moment, apart from the store; values that are kept apart from the
 * record are not in it.
 *
 * <p>Immutable.
 */
public final class EntrySnapshot {
  private static final long GONE = Long.MAX_VALUE;

  private final long id;
  private final ByteBuffer record;
  private final byte[] parentDn;
  private final AttributeTable table;

  private EntrySnapshot(long id, ByteBuffer record, byte[] parentDn, AttributeTable table) {
    this.id = id;
    this.record = record;
    this.parentDn = parentDn;
    this.table = table;
  }

  /** Copies the entry shown by a view. */
  public static EntrySnapshot of(EntryView view, AttributeTable table) {
    byte[] record = new byte[view.recordLength()];
    view.buffer().get(view.recordStart(), record);
    return new EntrySnapshot(
        view.id(), ByteBuffer.wrap(record).asReadOnlyBuffer(), view.parentDn().clone(), table);
  }

  /** Moves a view to the entry; the view gets a buffer of its own over the same bytes. */
  public void show(EntryView view) {
    view.wrap(id, record.duplicate(), 0, parentDn);
  }

  /** Returns the same entry as one that is gone: no entry that is stored has its id. */
  public EntrySnapshot gone() {
    return new EntrySnapshot(GONE, record, parentDn, table);
  }

  /** The numbers of the entry's attributes. */
  public AttributeTable table() {
    return table;
  }

  /** Length in bytes. */
  public int length() {
    return record.capacity() + parentDn.length;
  }
}
