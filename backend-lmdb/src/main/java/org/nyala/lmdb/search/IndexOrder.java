package org.nyala.lmdb.search;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.nyala.core.backend.ValueOrder;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.lmdb.env.SeekCursor;
import org.nyala.lmdb.format.IndexKeys;
import org.nyala.lmdb.format.IndexKind;
import org.nyala.lmdb.posting.BlockSet;
import org.nyala.lmdb.posting.PostingReader;

/**
 * Walks an equality or ordering index key by key: its keys are in the order of the values.
 *
 * <p>Confined to one running operation, within one slice. Uses the cursor that searches share.
 */
public final class IndexOrder implements ValueOrder {
  private static final int PLACE_LENGTH = 2;

  private final SeekCursor cursor;
  private final ByteAppender header = new ByteAppender(8);
  private final BlockSet block = new BlockSet();
  private final byte[] start;
  private byte[] key;
  private int keyLength;
  private int sameLength = -1;
  private int place;
  private boolean isOpen;
  private boolean startsValue;
  private long blockStart;
  private long entryId;

  /**
   * Begins a walk.
   *
   * @param attribute the number of the plain type
   * @param position a key at which a former walk was, and the entry's place in its block as u16;
   *     empty for the first one of the index
   */
  public IndexOrder(SeekCursor cursor, int attribute, IndexKind kind, byte[] position) {
    this.cursor = cursor;
    IndexKeys.appendHeader(attribute, kind, header);
    this.key = new byte[64];
    if (position.length == 0) {
      this.start = header.toByteArray();
      return;
    }
    this.start = Arrays.copyOf(position, position.length - PLACE_LENGTH);
    this.place = ByteBuffer.wrap(position).getShort(start.length) & 0xffff;
    this.key = Arrays.copyOf(start, Math.max(64, start.length));
    this.keyLength = start.length;
    this.sameLength = comparedLength(keyLength);
  }

  @Override
  public boolean next() {
    startsValue = false;
    for (int id = block.next(); ; id = block.next()) {
      if (id >= 0) {
        entryId = blockStart | id;
        return true;
      }
      if (!nextKey()) {
        return false;
      }
    }
  }

  private boolean nextKey() {
    boolean found = isOpen ? cursor.next() : cursor.seekOrNext(start, start.length);
    isOpen = true;
    if (!found) {
      return false;
    }
    ByteBuffer at = cursor.key();
    if (!PostingReader.beginsWith(at, header.array(), header.length())) {
      return false;
    }
    boolean isSameKey = at.remaining() == keyLength && isSame(at, keyLength);
    take(at);
    block.load(cursor.value());
    block.startFrom(isSameKey ? place : 0);
    return true;
  }

  private void take(ByteBuffer found) {
    int length = found.remaining();
    int compared = comparedLength(length);
    // Once a walk has seen another value, all pairs before the next one belong to that value.
    startsValue |= compared != sameLength || !isSame(found, compared);
    if (key.length < length) {
      key = new byte[Math.max(length, 2 * key.length)];
    }
    found.get(found.position(), key, 0, length);
    keyLength = length;
    sameLength = compared;
    blockStart = (IndexKeys.blockOf(found) & 0xffff_ffffL) << 16;
  }

  /**
   * Returns the length of the part of a key that distinguishes values: at most as many bytes of the
   * value as are compared.
   */
  private static int comparedLength(int keyLength) {
    int valueEnd = keyLength - IndexKeys.BLOCK_LENGTH - 1;
    return Math.min(valueEnd, IndexKeys.HEADER_LENGTH + COMPARED_BYTES);
  }

  private boolean isSame(ByteBuffer other, int length) {
    int from = other.position();
    for (int i = length - 1; i >= 0; i--) {
      if (other.get(from + i) != key[i]) {
        return false;
      }
    }
    return true;
  }

  @Override
  public long entryId() {
    return entryId;
  }

  @Override
  public boolean startsValue() {
    return startsValue;
  }

  @Override
  public byte[] position() {
    byte[] position = Arrays.copyOf(key, keyLength + PLACE_LENGTH);
    ByteBuffer.wrap(position).putShort(keyLength, (short) entryId);
    return position;
  }
}
