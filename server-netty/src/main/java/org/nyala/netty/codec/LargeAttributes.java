package org.nyala.netty.codec;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.Ber;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;
import org.nyala.core.filter.Pace;

/**
 * Writes the attributes of an entry some of whose values are stored out of line ({@link
 * EntryRecord#LARGE}): one attribute after the other, the out-of-line values straight from the
 * store, in as many slices as it takes.
 *
 * <p>Confined to one running operation.
 */
final class LargeAttributes {
  /** The number of values between two readings of the clock: some ten microseconds. */
  private static final int CLOCK_VALUES = 64;

  /** The bytes of values between two readings of the clock. */
  private static final int CLOCK_OCTETS = 64 << 10;

  private final boolean[] selected;
  private final int end;
  private int at;
  private int index;
  private byte @Nullable [] nextKey;

  /** The values and their bytes since the last reading of the clock. */
  private int values;

  private int octets;

  /**
   * Begins with nothing written.
   *
   * @param start the offset of the first attribute in the message
   * @param selected the numbers of the attributes to write
   * @param end the number of the entry's attributes among which they are
   */
  LargeAttributes(int start, boolean[] selected, int end) {
    this.at = start;
    this.selected = selected;
    this.end = end;
  }

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

  /** Returns the offset in the message after everything written so far. */
  int at() {
    return at;
  }

  /**
   * Writes as far as the slice goes.
   *
   * @param out holds the message
   * @param base the index of the message in it
   * @param entry the same entry in each slice, unchanged
   * @return false if the slice ends before: another call goes on
   */
  boolean write(ByteBuffer out, int base, EntryView entry, Pace pace) {
    while (index < end) {
      if (selected[entry.attributeId(index)]) {
        LargeValues large = entry.largeValues(index);
        if (large == null) {
          stored(out, base, entry);
        } else if (!apart(out, base, entry, large, pace)) {
          return false;
        }
      }
      index++;
    }
    return true;
  }

  private void stored(ByteBuffer out, int base, EntryView entry) {
    int from = entry.attributeStart(index);
    int length = entry.attributeEnd(index) - from;
    out.put(base + at, entry.buffer(), from, length);
    at += length;
  }

  private boolean apart(ByteBuffer out, int base, EntryView entry, LargeValues large, Pace pace) {
    byte[] from = nextKey;
    if (from == null) {
      head(out, base, entry, large);
      large.rewind();
    } else {
      nextKey = null;
      large.goTo(from);
    }
    while (large.next()) {
      if (values == CLOCK_VALUES || octets >= CLOCK_OCTETS) {
        values = 0;
        octets = 0;
        if (!pace.goesOn()) {
          nextKey = large.key();
          return false;
        }
      }
      int length = large.length();
      int content = Ber.header(out, base + at, LdapTags.OCTET_STRING, length);
      out.put(content, large.buffer(), large.start(), length);
      at = content + length - base;
      values++;
      octets += length;
    }
    return true;
  }

  private void head(ByteBuffer out, int base, EntryView entry, LargeValues large) {
    int nameLength = nameLength(entry, index);
    int nameStart = entry.attributeEnd(index) - 2 - nameLength;
    int length = (int) large.octets();
    int next =
        Ber.header(out, base + at, LdapTags.SEQUENCE, nameLength + Ber.elementLength(length));
    out.put(next, entry.buffer(), nameStart, nameLength);
    at = Ber.header(out, next + nameLength, LdapTags.SET, length) - base;
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
