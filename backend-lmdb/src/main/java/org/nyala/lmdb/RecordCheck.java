package org.nyala.lmdb;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;

/**
 * Tells whether the bytes of a record are what {@link EntryRecord} describes, so that views and
 * value cursors, which trust them, may be used.
 *
 * <p>Confined to one running operation.
 */
final class RecordCheck {
  private static final int SEQUENCE = 0x30;
  private static final int SET = 0x31;
  private static final int OCTET_STRING = 0x04;

  private final byte[][] names;
  private final EntryView view = new EntryView();
  private int contentStart;

  /** Prepares for the records of a table. */
  RecordCheck(AttributeTable table) {
    names = new byte[table.size() + 1][];
    for (int id = 1; id < names.length; id++) {
      names[id] = table.description(id).nameBytes();
    }
  }

  /** What is wrong with a record that fills its buffer, or null. */
  @Nullable String problem(ByteBuffer record) {
    int length = record.limit();
    if (length < EntryRecord.HEADER_LENGTH) {
      return "record of " + length + " bytes";
    }
    if (record.get(0) != EntryRecord.VERSION) {
      return "record of version " + record.get(0);
    }
    view.wrap(0, record, 0, new byte[0]);
    int directoryEnd =
        EntryRecord.HEADER_LENGTH + view.attributeCount() * EntryRecord.DIRECTORY_ENTRY_LENGTH;
    if (directoryEnd > length || view.recordLength() != length) {
      return "record of " + length + " bytes whose parts take another length";
    }
    for (int index = 0; index < view.attributeCount(); index++) {
      String problem = attributeProblem(record, index, length);
      if (problem != null) {
        return problem;
      }
    }
    int count = view.attributeCount();
    boolean isFilled =
        count == 0
            ? view.rdnStart() + view.rdnLength() == length
            : view.attributeEnd(count - 1) == length;
    return isFilled ? null : "attributes do not fill the record";
  }

  private @Nullable String attributeProblem(ByteBuffer record, int index, int length) {
    int id = view.attributeId(index);
    if (id == AttributeTable.ABSENT || id >= names.length) {
      return "attribute number " + id + " is unknown";
    }
    int start = view.attributeStart(index);
    int end = view.attributeEnd(index);
    if (start < 0 || start >= end || end > length) {
      return "attribute " + index + " lies outside the record";
    }
    return isPartialAttribute(record, start, end, names[id])
        ? null
        : "attribute " + index + " is no PartialAttribute of its type";
  }

  private boolean isPartialAttribute(ByteBuffer record, int start, int end, byte[] name) {
    if (element(record, start, end, SEQUENCE) != end) {
      return false;
    }
    int nameEnd = element(record, contentStart, end, OCTET_STRING);
    if (nameEnd < 0 || !isName(record, contentStart, nameEnd, name)) {
      return false;
    }
    if (element(record, nameEnd, end, SET) != end || contentStart == end) {
      return false;
    }
    int at = contentStart;
    while (at >= 0 && at < end) {
      at = element(record, at, end, OCTET_STRING);
    }
    return at == end;
  }

  private static boolean isName(ByteBuffer record, int start, int end, byte[] name) {
    byte[] actual = new byte[end - start];
    record.get(start, actual);
    return Arrays.equals(actual, name);
  }

  /** Where an element with a definite length ends, its content start noted; -1 when it is none. */
  private int element(ByteBuffer record, int start, int end, int tag) {
    if (start + 2 > end || (record.get(start) & 0xff) != tag) {
      return -1;
    }
    int first = record.get(start + 1) & 0xff;
    int octets = first < 0x80 ? 0 : first & 0x7f;
    if (octets > 4 || first == 0x80 || start + 2 + octets > end) {
      return -1;
    }
    long length = octets == 0 ? first : 0;
    for (int i = 0; i < octets; i++) {
      length = length << 8 | record.get(start + 2 + i) & 0xff;
    }
    contentStart = start + 2 + octets;
    return length <= end - contentStart ? contentStart + (int) length : -1;
  }
}
