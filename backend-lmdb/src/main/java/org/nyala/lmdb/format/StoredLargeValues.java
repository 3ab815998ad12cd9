package org.nyala.lmdb.format;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Dbi;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.entry.LargeValues;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.lmdb.env.SeekCursor;
import org.nyala.lmdb.env.TxnHandle;

/**
 * The values of one attribute in the {@code values} database; see {@link ValueKeys}.
 *
 * <p>Confined to one running operation. Used for one attribute after the other; nothing is
 * allocated per value.
 */
public final class StoredLargeValues implements LargeValues {
  private final TxnHandle slot;
  private final Dbi<ByteBuffer> database;
  private final SeekCursor cursor;
  private final ByteAppender key = new ByteAppender(512);
  private final ByteAppender scratch = new ByteAppender(512);
  private @Nullable MatchingRule rule;
  private long entryId;
  private int attribute;
  private long count;
  private long octets;
  private boolean isStarted;
  private boolean isAhead;
  private boolean isAtEnd;

  /** Creates a cursor on an open handle. */
  public StoredLargeValues(TxnHandle slot) {
    this.slot = slot;
    this.database = slot.environment().values();
    this.cursor = slot.openCursor(database);
  }

  /**
   * Moves to an attribute of an entry; false if none of its values are here.
   *
   * @param attributeId the attribute's number
   */
  public boolean open(long id, int attributeId, AttributeType type) {
    ValueKeys.appendPrefix(id, attributeId, key.clear()).append(ValueKeys.HEAD);
    ByteBuffer head = slot.get(database, key.array(), key.length());
    if (head == null) {
      return false;
    }
    count = head.getLong(0);
    octets = head.getLong(8);
    entryId = id;
    attribute = attributeId;
    rule = type.equality();
    rewind();
    return true;
  }

  @Override
  public long count() {
    return count;
  }

  @Override
  public long octets() {
    return octets;
  }

  @Override
  public boolean contains(byte[] value) {
    ValueKeys.appendPrefix(entryId, attribute, key.clear());
    ValueKeys.appendName(rule, value, 0, value.length, scratch, key);
    return isThere();
  }

  @Override
  public boolean containsNormalized(byte[] normalized) {
    ValueKeys.appendPrefix(entryId, attribute, key.clear());
    ValueKeys.appendNormalized(normalized, normalized.length, key);
    return isThere();
  }

  private boolean isThere() {
    return slot.get(database, key.array(), key.length()) != null;
  }

  @Override
  public void rewind() {
    isStarted = false;
    isAhead = false;
    isAtEnd = false;
  }

  @Override
  public byte[] key() {
    return name().array();
  }

  @Override
  public void goTo(byte[] from) {
    ValueKeys.appendPrefix(entryId, attribute, key.clear()).append(from);
    isAtEnd = !cursor.seekOrNext(key.array(), key.length());
    isAhead = true;
    isStarted = true;
  }

  @Override
  public boolean next() {
    boolean found;
    if (isAtEnd) {
      return false;
    }
    if (isAhead) {
      isAhead = false;
      found = true;
    } else if (isStarted) {
      found = cursor.next();
    } else {
      ValueKeys.appendPrefix(entryId, attribute, key.clear()).append(ValueKeys.NORMALIZED);
      found = cursor.seekOrNext(key.array(), key.length());
      isStarted = true;
    }
    return found && ValueKeys.isOf(cursor.key(), entryId, attribute);
  }

  /**
   * Returns a copy of the rest of a value's key, which distinguishes it from the attribute's other
   * values.
   */
  public ByteBuffer name(byte[] value) {
    ValueKeys.appendName(rule, value, 0, value.length, scratch, key.clear());
    return ByteBuffer.wrap(key.toByteArray());
  }

  /** Returns a copy of {@link #name(byte[])} of the current value. */
  public ByteBuffer name() {
    ByteBuffer current = cursor.key();
    byte[] name = new byte[current.remaining() - ValueKeys.PREFIX_LENGTH];
    current.get(ValueKeys.PREFIX_LENGTH, name);
    return ByteBuffer.wrap(name);
  }

  /** Returns a copy of the value of this name, as stored; null if there is none. */
  public byte @Nullable [] valueAt(ByteBuffer name) {
    ValueKeys.appendPrefix(entryId, attribute, key.clear()).append(name, 0, name.remaining());
    ByteBuffer found = slot.get(database, key.array(), key.length());
    if (found == null) {
      return null;
    }
    byte[] value = new byte[found.remaining()];
    found.get(0, value);
    return value;
  }

  /** Returns the whole key of the current value. Borrowed until the next call. */
  public ByteBuffer wholeKey() {
    return cursor.key();
  }

  @Override
  public ByteBuffer buffer() {
    return cursor.value();
  }

  @Override
  public int start() {
    return 0;
  }

  @Override
  public int length() {
    return cursor.value().remaining();
  }

  /** Frees the cursor. */
  public void dispose() {
    cursor.close();
  }
}
