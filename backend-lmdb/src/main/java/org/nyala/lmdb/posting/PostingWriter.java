package org.nyala.lmdb.posting;

import java.nio.ByteBuffer;
import org.lmdbjava.Dbi;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.RawWriter;
import org.nyala.lmdb.format.IndexKeys;

/**
 * Changes the {@code index} database.
 *
 * <p>Confined to the writer's thread.
 */
public final class PostingWriter {
  private final Dbi<ByteBuffer> index;
  private final RawWriter raw;
  private final BlockSet ids = new BlockSet();
  private final PostingEdit edit = new PostingEdit();
  private final ByteAppender edited = new ByteAppender(PostingChunk.MAXIMUM_LENGTH);

  public PostingWriter(LmdbEnvironment environment, RawWriter raw) {
    this.index = environment.index();
    this.raw = raw;
  }

  /**
   * Adds entries of one block to the list of a key.
   *
   * @param key the prefix and the block
   * @param chunk the entries, encoded
   */
  void add(ByteAppender key, ByteAppender chunk) {
    ByteBuffer known = raw.at(key.array(), 0, key.length()).putNew(index, chunk);
    if (known == null) {
      return;
    }
    if (chunk.length() == Short.BYTES) {
      int low = ByteBuffer.wrap(chunk.array()).getShort(0) & 0xffff;
      if (edit.add(known, low, edited.clear())) {
        raw.put(index, edited);
      }
      return;
    }
    ByteBuffer more = ByteBuffer.wrap(chunk.array(), 0, chunk.length());
    if (!edit.append(known, more, edited.clear())) {
      ids.load(known);
      ids.or(more);
      ids.encode(edited);
    }
    raw.put(index, edited);
  }

  /**
   * Adds an entry to the list of a prefix, or removes it; changes nothing if that is already done.
   *
   * @param source holds the prefix of the key
   * @param offset the offset of the prefix
   * @param length its length in bytes
   */
  public void update(byte[] source, int offset, int length, long entryId, boolean isAdded) {
    ByteBuffer chunk = raw.at(source, offset, length, IndexKeys.block(entryId)).get(index);
    int low = (int) entryId & 0xffff;
    if (chunk == null) {
      if (isAdded) {
        raw.putShort(index, low);
      }
      return;
    }
    edited.clear();
    boolean isOther = isAdded ? edit.add(chunk, low, edited) : edit.remove(chunk, low, edited);
    if (!isOther) {
      return;
    }
    if (edited.length() == 0) {
      raw.delete(index);
    } else {
      raw.put(index, edited);
    }
  }
}
