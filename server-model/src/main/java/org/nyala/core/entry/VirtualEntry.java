package org.nyala.core.entry;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.schema.SecretTypes;

/**
 * An entry that no store holds, in the form of one that does, so that filters and selections treat
 * both alike.
 *
 * <p>Immutable.
 */
public final class VirtualEntry {
  private static final byte[] NO_PARENT = {};
  private static final long NO_ID = 0;

  private final AttributeTable table;
  private final ByteBuffer record;

  private VirtualEntry(AttributeTable table, ByteBuffer record) {
    this.table = table;
    this.record = record;
  }

  /** Converts an entry to that form. */
  public static VirtualEntry of(Entry entry) {
    List<AttributeDescription> numbered = new ArrayList<>();
    EntryRecordWriter writer = new EntryRecordWriter().begin(NO_ID, entry.dn().raw(), 0);
    for (AttributeDescription description : entry.descriptions()) {
      List<byte[]> values = entry.values(description);
      if (values != null) {
        numbered.add(description);
        writer.attribute(
            numbered.size(),
            description.nameBytes(),
            description.type().isOperational(),
            SecretTypes.isStoredLast(description.type()),
            values);
      }
    }
    ByteAppender target = new ByteAppender(1024);
    writer.finish(target);
    return new VirtualEntry(
        AttributeTable.EMPTY.with(numbered), ByteBuffer.wrap(target.toByteArray()));
  }

  /** Nothing is below a virtual entry. */
  public static boolean hasSubordinates(long entryId) {
    return entryId != NO_ID;
  }

  /** The numbers of the entry's attributes. */
  public AttributeTable table() {
    return table;
  }

  /** Moves the view to the entry; the view gets a buffer of its own over the same bytes. */
  public void show(EntryView view) {
    view.wrap(NO_ID, record.duplicate(), 0, NO_PARENT);
  }
}
