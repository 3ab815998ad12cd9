package org.nyala.core.entry;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Walks the values of one stored {@code PartialAttribute} without copying them, those that are kept
 * apart from the record ({@link LargeValues}) too.
 *
 * <p>Confined to one running operation. Trusts its input: records are checked when they are written
 * and by {@code verify}.
 */
public final class ValueCursor {
  private ByteBuffer buffer = ByteBuffer.allocate(0);
  private int next;
  private int end;
  private int start;
  private int length;
  private int current;
  private boolean isCurrentApart;
  private @Nullable LargeValues apart;

  /** Moves before the first value of the attribute at {@code index} of the entry. */
  public ValueCursor open(EntryView entry, int index) {
    open(entry.buffer(), entry.attributeStart(index), entry.attributeEnd(index));
    if (next == end) {
      LargeValues large = entry.largeValues(index);
      if (large != null) {
        large.rewind();
        apart = large;
      }
    }
    return this;
  }

  /**
   * Moves before a value at which a cursor was, in this transaction or another one, while the entry
   * was the same.
   */
  public ValueCursor open(EntryView entry, int index, ValuePosition position) {
    open(entry, index);
    byte[] key = position.key();
    if (key == null) {
      next = entry.recordStart() + position.offset();
    } else if (apart != null) {
      apart.goTo(key);
    }
    return this;
  }

  /**
   * The place of the current value, from which {@link #open(EntryView, int, ValuePosition)}
   * continues.
   */
  public ValuePosition position(EntryView entry) {
    return isCurrentApart && apart != null
        ? new ValuePosition(0, apart.key())
        : new ValuePosition(current - entry.recordStart(), null);
  }

  /** Moves before the first value of the {@code PartialAttribute} in the given range. */
  public ValueCursor open(ByteBuffer source, int attributeStart, int attributeEnd) {
    apart = null;
    buffer = source;
    end = attributeEnd;
    next = attributeStart;
    readLength();
    int type = start;
    next = type;
    readLength();
    next = start + length;
    readLength();
    next = start;
    return this;
  }

  /** Moves to the next value; false if there is none. */
  public boolean next() {
    if (next >= end) {
      return apart != null && nextApart(apart);
    }
    current = next;
    isCurrentApart = false;
    readLength();
    next = start + length;
    return true;
  }

  private boolean nextApart(LargeValues large) {
    if (!large.next()) {
      return false;
    }
    isCurrentApart = true;
    buffer = large.buffer();
    start = large.start();
    length = large.length();
    return true;
  }

  /** The buffer that {@link #start()} refers to. Borrowed until the next call. */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** Returns the index at which the current value begins. */
  public int start() {
    return start;
  }

  /** Length of the current value in bytes. */
  public int length() {
    return length;
  }

  /** A copy of the current value. */
  public byte[] value() {
    byte[] value = new byte[length];
    buffer.get(start, value);
    return value;
  }

  /**
   * Reads tag and length at {@code next} and leaves {@code start} and {@code length} at the
   * content.
   */
  private void readLength() {
    int first = buffer.get(next + 1);
    if (first >= 0) {
      start = next + 2;
      length = first;
      return;
    }
    int octets = first & 0x7f;
    int value = 0;
    for (int i = 0; i < octets; i++) {
      value = value << 8 | buffer.get(next + 2 + i) & 0xff;
    }
    start = next + 2 + octets;
    length = value;
  }
}
