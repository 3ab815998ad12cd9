package org.nyala.netty.codec;

import java.nio.ByteBuffer;
import org.nyala.core.ber.Ber;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;

/**
 * Writes the attributes of entries some of whose values are stored out of line ({@link
 * EntryRecord#LARGE}): one attribute after the other, the out-of-line values straight from the
 * store.
 */
final class LargeAttributes {
  private LargeAttributes() {}

  /** Returns the length in bytes of the selected attributes among the first {@code end}. */
  static int length(EntryView entry, boolean[] selected, int end) {
    int length = 0;
    for (int i = 0; i < end; i++) {
      if (selected[entry.attributeId(i)]) {
        length = Math.addExact(length, length(entry, i));
      }
    }
    return length;
  }

  private static int length(EntryView entry, int index) {
    int stored = entry.attributeEnd(index) - entry.attributeStart(index);
    LargeValues large = entry.largeValues(index);
    if (large == null) {
      return stored;
    }
    int values = Math.toIntExact(large.octets());
    return Ber.elementLength(Math.addExact(nameLength(entry, index), Ber.elementLength(values)));
  }

  /** Writes the selected attributes among the first {@code end}. */
  static int write(ByteBuffer out, int start, EntryView entry, boolean[] selected, int end) {
    int at = start;
    for (int i = 0; i < end; i++) {
      if (selected[entry.attributeId(i)]) {
        LargeValues large = entry.largeValues(i);
        at = large == null ? stored(out, at, entry, i) : apart(out, at, entry, i, large);
      }
    }
    return at;
  }

  private static int stored(ByteBuffer out, int at, EntryView entry, int index) {
    int from = entry.attributeStart(index);
    int length = entry.attributeEnd(index) - from;
    out.put(at, entry.buffer(), from, length);
    return at + length;
  }

  private static int apart(
      ByteBuffer out, int start, EntryView entry, int index, LargeValues large) {
    int nameLength = nameLength(entry, index);
    int nameStart = entry.attributeEnd(index) - 2 - nameLength;
    int values = (int) large.octets();
    int at = Ber.header(out, start, LdapTags.SEQUENCE, nameLength + Ber.elementLength(values));
    out.put(at, entry.buffer(), nameStart, nameLength);
    at = Ber.header(out, at + nameLength, LdapTags.SET, values);
    large.rewind();
    while (large.next()) {
      int length = large.length();
      at = Ber.header(out, at, LdapTags.OCTET_STRING, length);
      out.put(at, large.buffer(), large.start(), length);
      at += length;
    }
    return at;
  }

  /**
   * Returns the length of the element with the description, which comes before the empty set of
   * values.
   */
  private static int nameLength(EntryView entry, int index) {
    int start = entry.attributeStart(index);
    int first = entry.buffer().get(start + 1);
    int contentStart = start + 2 + (first < 0 ? first & 0x7f : 0);
    return entry.attributeEnd(index) - 2 - contentStart;
  }
}
