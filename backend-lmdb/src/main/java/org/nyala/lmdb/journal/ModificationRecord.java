package org.nyala.lmdb.journal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Modifications;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;

/**
 * A record of the modifications that a change consists of. It does not depend on the store's
 * numbers of attributes, and is sent as it is.
 *
 * <pre>
 * u8       1
 * u8       0; 1 for a rename; plus 2 if the values of the old RDN go, plus 4 for a new superior
 * text     name of the entry before the change
 * text     new RDN, of a rename
 * text     new superior, if there is one
 * text...  modifications: "attribute:+ value" adds, ":-" deletes, ":=" replaces, without a value
 *          all; ":" stands between two modifications of the same attribute and kind
 * </pre>
 *
 * <p>A text has its length before it, in seven bits a byte, the lowest first; all but the last byte
 * of it have the highest bit set.
 *
 * <p>Confined to the writer's thread.
 */
final class ModificationRecord {
  private static final int FORMAT = 1;
  private static final int RENAME = 1;
  private static final int DELETES_OLD_RDN = 2;
  private static final int NEW_SUPERIOR = 4;
  private static final int SEVEN_BITS = 0x7f;
  private static final int LARGEST_KEPT = 1 << 20;

  private final int most;
  private ByteAppender target = new ByteAppender(1024);
  private @Nullable AttributeDescription last;
  private char lastKind;
  private boolean isWhole = true;

  /**
   * Creates a record.
   *
   * @param most the bytes beyond which no more values are written
   */
  ModificationRecord(int most) {
    this.most = most;
  }

  /** Begins the record of a change that leaves the name as it is. */
  void begin(Dn dn) {
    begin(dn, 0);
  }

  /**
   * Begins the record of a rename.
   *
   * @param superior the new superior; null if it stays
   */
  void begin(Dn dn, byte[] newRdn, boolean deletesOldRdn, @Nullable Dn superior) {
    int flags = RENAME + (deletesOldRdn ? DELETES_OLD_RDN : 0);
    begin(dn, flags + (superior == null ? 0 : NEW_SUPERIOR));
    text(newRdn);
    if (superior != null) {
      text(superior.raw());
    }
  }

  private void begin(Dn dn, int flags) {
    if (target.array().length > LARGEST_KEPT) {
      target = new ByteAppender(LARGEST_KEPT);
    }
    last = null;
    isWhole = true;
    target.clear().append(FORMAT).append(flags);
    text(dn.raw());
  }

  /** Makes it a record that is not kept. */
  void abandon() {
    isWhole = false;
  }

  /** Returns whether everything was written. */
  boolean isWhole() {
    return isWhole;
  }

  /** Returns the bytes, borrowed until the next record begins. */
  ByteAppender bytes() {
    return target;
  }

  private void text(byte[] text) {
    length(text.length);
    target.append(text);
  }

  private void length(int length) {
    int left = length;
    while (left > SEVEN_BITS) {
      target.append(left & SEVEN_BITS | SEVEN_BITS + 1);
      left >>>= Byte.SIZE - 1;
    }
    target.append(left);
  }

  /** Writes a modification for each of some values, if there are any. */
  void write(AttributeDescription description, char kind, List<byte[]> values) {
    if (values.isEmpty()) {
      return;
    }
    separate(description, kind);
    byte[] name = description.nameBytes();
    for (byte[] value : values) {
      if (!hasRoom(name.length + value.length)) {
        return;
      }
      length(name.length + 3 + value.length);
      target.append(name).append(':').append(kind).append(' ').append(value);
    }
  }

  /** Writes that an attribute has these values from now on; with none, it is gone. */
  void replace(AttributeDescription description, List<byte[]> values) {
    if (!values.isEmpty()) {
      write(description, '=', values);
      return;
    }
    separate(description, '=');
    byte[] name = description.nameBytes();
    if (hasRoom(name.length)) {
      length(name.length + 2);
      target.append(name).append(':').append('=');
    }
  }

  private void separate(AttributeDescription description, char kind) {
    if (description.equals(last) && kind == lastKind) {
      length(1);
      target.append(':');
    }
    last = description;
    lastKind = kind;
  }

  private boolean hasRoom(int length) {
    isWhole &= most - length - target.length() > 2 * Long.BYTES;
    return isWhole;
  }

  /** Returns the modifications of a record; null if its bytes are none. */
  static @Nullable Modifications read(ByteBuffer source) {
    ByteBuffer from = source.duplicate();
    if (from.remaining() < 2 || from.get() != FORMAT) {
      return null;
    }
    int flags = from.get();
    byte[] name = next(from);
    byte[] newRdn = (flags & RENAME) == 0 ? null : next(from);
    byte[] superior = (flags & NEW_SUPERIOR) == 0 ? null : next(from);
    if (name == null || (flags & RENAME) != 0 && newRdn == null) {
      return null;
    }
    List<byte[]> values = new ArrayList<>();
    while (from.hasRemaining()) {
      byte[] value = next(from);
      if (value == null) {
        return null;
      }
      values.add(value);
    }
    return new Modifications(
        string(name),
        newRdn == null ? null : string(newRdn),
        (flags & DELETES_OLD_RDN) != 0,
        superior == null ? null : string(superior),
        values);
  }

  private static String string(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static byte @Nullable [] next(ByteBuffer from) {
    int length = 0;
    for (int shift = 0; shift < Integer.SIZE && from.hasRemaining(); shift += Byte.SIZE - 1) {
      byte part = from.get();
      length |= (part & SEVEN_BITS) << shift;
      if (part >= 0) {
        if (length < 0 || length > from.remaining()) {
          return null;
        }
        byte[] text = new byte[length];
        from.get(text);
        return text;
      }
    }
    return null;
  }
}
