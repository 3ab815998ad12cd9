package org.nyala.lmdb.admin;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.ClassSet;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SecretTypes;
import org.nyala.lmdb.format.EntryFlags;

/**
 * Checks whether the bytes of a record are as {@link EntryRecord} describes, so that views and
 * value cursors, which trust them, may be used. Also checks that each attribute occurs once and in
 * its proper place, and that the flags are those of the object classes, because searches trust
 * both.
 *
 * <p>Confined to one running operation.
 */
final class RecordCheck {
  private static final int SEQUENCE = 0x30;
  private static final int SET = 0x31;
  private static final int OCTET_STRING = 0x04;

  private final AttributeTable table;
  private final Schema schema;
  private final int objectClassId;
  private final byte[][] names;
  private final boolean[] isOperational;
  private final boolean[] isStoredLast;

  /** The number of the record in which each attribute was last seen. */
  private final long[] seenIn;

  /** The most unknown object classes that are counted. */
  private static final int MOST_UNKNOWN = 1000;

  private final Map<String, Long> unknownClasses = new TreeMap<>();
  private final EntryView view = new EntryView();
  private final ValueCursor values = new ValueCursor();
  private long records;
  private int contentStart;

  /** The number of attributes whose values are out of line, or ought to be. */
  private int emptyAttributes;

  RecordCheck(AttributeTable table, Schema schema) {
    this.table = table;
    this.schema = schema;
    int size = table.size() + 1;
    objectClassId = table.id(AttributeDescription.parse(schema, "objectClass"));
    names = new byte[size][];
    isOperational = new boolean[size];
    isStoredLast = new boolean[size];
    seenIn = new long[size];
    for (int id = 1; id < size; id++) {
      AttributeType type = table.description(id).type();
      names[id] = table.description(id).nameBytes();
      isOperational[id] = type.isOperational();
      isStoredLast[id] = SecretTypes.isStoredLast(type);
    }
  }

  /** Returns the fault in a record that fills its buffer, or null. */
  @Nullable String problem(ByteBuffer record) {
    int length = record.limit();
    if (length < EntryRecord.HEADER_LENGTH) {
      return "record of " + length + " bytes";
    }
    if (record.get(0) != EntryRecord.VERSION) {
      return "record of version " + record.get(0);
    }
    emptyAttributes = 0;
    view.wrap(0, record, 0, new byte[0]);
    int directoryEnd =
        EntryRecord.HEADER_LENGTH + view.attributeCount() * EntryRecord.DIRECTORY_ENTRY_LENGTH;
    if (directoryEnd > length || view.recordLength() != length) {
      return "record of " + length + " bytes whose parts have a different length";
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
    return isFilled ? placesProblem() : "attributes do not fill the record";
  }

  /** Returns the fault in the order of the attributes or in the flags, or null. */
  private @Nullable String placesProblem() {
    records++;
    int objectClassAt = -1;
    boolean isAfterLast = false;
    for (int index = 0; index < view.attributeCount(); index++) {
      int id = view.attributeId(index);
      boolean isUser = index < view.userAttributeCount();
      if (seenIn[id] == records) {
        return "attribute " + name(id) + " occurs twice";
      }
      seenIn[id] = records;
      if (isOperational[id] == isUser) {
        return "attribute " + name(id) + " is not in the part of the record for its kind";
      }
      if (isUser && isAfterLast && !isStoredLast[id]) {
        return "attribute " + name(id) + " follows one that is stored behind all others";
      }
      isAfterLast |= isStoredLast[id];
      objectClassAt = id == objectClassId ? index : objectClassAt;
    }
    return flagsProblem(objectClassAt);
  }

  private @Nullable String flagsProblem(int objectClassAt) {
    List<byte[]> classNames = new ArrayList<>();
    if (objectClassAt >= 0) {
      values.open(view, objectClassAt);
      while (values.next()) {
        byte[] name = new byte[values.length()];
        values.buffer().get(values.start(), name);
        classNames.add(name);
      }
    }
    ClassSet classes = schema.classSet(classNames);
    boolean isKnown = classNames.isEmpty() || !classes.classes().isEmpty();
    if (!isKnown) {
      noteUnknown(classNames);
    }
    int apart = emptyAttributes > 0 ? EntryRecord.LARGE : 0;
    int expected = EntryFlags.of(schema, classes) | apart;
    int actual = view.flags() & 0xff;
    return !isKnown || actual == expected
        ? null
        : "flags " + actual + " but object classes and empty attributes require " + expected;
  }

  private void noteUnknown(List<byte[]> classNames) {
    for (byte[] each : classNames) {
      String name = new String(each, StandardCharsets.UTF_8);
      if (schema.objectClass(name) == null
          && (unknownClasses.size() < MOST_UNKNOWN || unknownClasses.containsKey(name))) {
        unknownClasses.merge(name, 1L, Long::sum);
      }
    }
  }

  /** Returns the numbers of entries so far by object classes that the schema does not define. */
  Map<String, Long> unknownClasses() {
    return unknownClasses;
  }

  private String name(int id) {
    return table.description(id).name();
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
    if (element(record, nameEnd, end, SET) != end) {
      return false;
    }
    if (contentStart == end) {
      emptyAttributes++;
      return true;
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

  /**
   * Returns the end of an element with a definite length, noting the start of its content; -1 if
   * the bytes are no such element.
   */
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
