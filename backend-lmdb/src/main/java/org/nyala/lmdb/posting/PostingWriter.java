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

  /**
   * Makes a {@link PostingChunk} out of another by adding or removing one id, or by adding larger
   * ones, copying the rest. A chunk is taken apart only if another form may be shorter, which is
   * checked now and then.
   *
   * <p>Confined to the writer's thread.
   */
  static final class PostingEdit {
    /**
     * The number of ids in an array up to which runs are looked for each time; beyond it, each
     * {@value} ids.
     */
    private static final int ARRAY_STEP = 64;

    private static final int SMALL_ARRAY = 8;
    private static final int LONGEST_ARRAY = PostingChunk.WORDS * 4;
    private static final int MOST_RUNS = PostingChunk.WORDS * 2;

    /** With fewer ids than this, a bitmap is replaced by another form. */
    private static final int FEW_IN_BITMAP = LONGEST_ARRAY - 512;

    /** With fewer runs than this, a bitmap is replaced by another form. */
    private static final int FEW_RUNS = PostingChunk.WORDS;

    private final BlockSet ids = new BlockSet();

    /**
     * Appends the chunk with one id more to {@code target}.
     *
     * @return false, with nothing appended, if the id is there already
     */
    boolean add(ByteBuffer chunk, int id, ByteAppender target) {
      if (PostingChunk.contains(chunk, id)) {
        return false;
      }
      int length = chunk.remaining();
      if (length == Short.BYTES) {
        takeApart(chunk, id, true, target);
        return true;
      }
      switch (chunk.get(chunk.position())) {
        case PostingChunk.ARRAY -> addToArray(chunk, id, target);
        case PostingChunk.RUNS -> addToRuns(chunk, id, target);
        default -> addToBitmap(chunk, id, target);
      }
      return true;
    }

    /**
     * Appends the chunk without one id to {@code target}; nothing if none is left.
     *
     * @return false, with nothing appended, if the id is not there
     */
    boolean remove(ByteBuffer chunk, int id, ByteAppender target) {
      if (!PostingChunk.contains(chunk, id)) {
        return false;
      }
      if (chunk.remaining() == Short.BYTES) {
        return true;
      }
      switch (chunk.get(chunk.position())) {
        case PostingChunk.ARRAY -> removeFromArray(chunk, id, target);
        case PostingChunk.RUNS -> removeFromRuns(chunk, id, target);
        default -> removeFromBitmap(chunk, id, target);
      }
      return true;
    }

    /**
     * Appends the chunk with the ids of another one to {@code target}, if all of them are larger
     * than those of the first, and no other form can be shorter.
     *
     * @param chunk the chunk
     * @param more the other one
     * @return false, with nothing appended, if the chunks are to be taken apart
     */
    boolean append(ByteBuffer chunk, ByteBuffer more, ByteAppender target) {
      int length = chunk.remaining();
      int moreLength = more.remaining();
      if (length == Short.BYTES || moreLength == PostingChunk.MAXIMUM_LENGTH) {
        return false;
      }
      boolean isSingle = moreLength == Short.BYTES;
      int form = chunk.get(chunk.position());
      int moreForm = isSingle ? PostingChunk.ARRAY : more.get(more.position());
      int from = isSingle ? 0 : 1;
      int first = more.getShort(more.position() + from) & 0xffff;
      if (form == PostingChunk.ARRAY && moreForm == PostingChunk.ARRAY) {
        int last = chunk.getShort(chunk.limit() - 2) & 0xffff;
        int count = (length - 1 + moreLength - from) / 2;
        if (last + 1 >= first || count >= LONGEST_ARRAY) {
          return false;
        }
        copy(chunk, 0, length, target);
        copy(more, from, moreLength, target);
        return true;
      }
      return form == PostingChunk.RUNS
          && moreForm == PostingChunk.RUNS
          && appendRuns(chunk, more, first, target);
    }

    private static boolean appendRuns(
        ByteBuffer chunk, ByteBuffer more, int first, ByteAppender target) {
      int length = chunk.remaining();
      int start = chunk.getShort(chunk.limit() - 4) & 0xffff;
      int last = start + (chunk.getShort(chunk.limit() - 2) & 0xffff);
      int runs = (length + more.remaining() - 2) / 4;
      if (last >= first || runs >= MOST_RUNS) {
        return false;
      }
      if (last + 1 < first) {
        copy(chunk, 0, length, target);
        copy(more, 1, more.remaining(), target);
      } else {
        int end = first + (more.getShort(more.position() + 3) & 0xffff);
        copy(chunk, 0, length - 2, target);
        target.appendShort(end - start);
        copy(more, 5, more.remaining(), target);
      }
      return true;
    }

    private void takeApart(ByteBuffer chunk, int id, boolean isAdded, ByteAppender target) {
      ids.load(chunk);
      if (isAdded) {
        ids.add(id);
      } else {
        ids.remove(id);
      }
      ids.encode(target);
    }

    private static void copy(ByteBuffer chunk, int from, int to, ByteAppender target) {
      target.append(chunk, chunk.position() + from, to - from);
    }

    private void addToArray(ByteBuffer chunk, int id, ByteAppender target) {
      int length = chunk.remaining();
      int count = length / 2 + 1;
      if (count <= SMALL_ARRAY || count % ARRAY_STEP == 0 || count >= LONGEST_ARRAY) {
        takeApart(chunk, id, true, target);
        return;
      }
      int at = 1 + 2 * firstAbove(chunk, 2, id);
      copy(chunk, 0, at, target);
      target.appendShort(id);
      copy(chunk, at, length, target);
    }

    private void removeFromArray(ByteBuffer chunk, int id, ByteAppender target) {
      int length = chunk.remaining();
      if (length / 2 <= SMALL_ARRAY) {
        takeApart(chunk, id, false, target);
        return;
      }
      int end = 1 + 2 * firstAbove(chunk, 2, id);
      copy(chunk, 0, end - 2, target);
      copy(chunk, end, length, target);
    }

    /**
     * Returns the index of the first element of an array or of runs that begins above {@code id}.
     */
    private static int firstAbove(ByteBuffer chunk, int width, int id) {
      int count = (chunk.remaining() - 1) / width;
      return 1 + PostingChunk.lastNotAbove(chunk, chunk.position() + 1, count, width, id);
    }

    private static int runStart(ByteBuffer chunk, int run) {
      return chunk.getShort(chunk.position() + 1 + 4 * run) & 0xffff;
    }

    private static int runEnd(ByteBuffer chunk, int run) {
      return runStart(chunk, run) + (chunk.getShort(chunk.position() + 3 + 4 * run) & 0xffff);
    }

    private static void run(int start, int end, ByteAppender target) {
      if (start <= end) {
        target.appendShort(start).appendShort(end - start);
      }
    }

    private void addToRuns(ByteBuffer chunk, int id, ByteAppender target) {
      int length = chunk.remaining();
      int runs = length / 4;
      int next = firstAbove(chunk, 4, id);
      boolean joinsLeft = next > 0 && runEnd(chunk, next - 1) == id - 1;
      boolean joinsRight = next < runs && runStart(chunk, next) == id + 1;
      if (!joinsLeft && !joinsRight && isBetterApart(chunk, runs)) {
        takeApart(chunk, id, true, target);
        return;
      }
      int first = joinsLeft ? next - 1 : next;
      int after = joinsRight ? next + 1 : next;
      copy(chunk, 0, 1 + 4 * first, target);
      run(joinsLeft ? runStart(chunk, first) : id, joinsRight ? runEnd(chunk, next) : id, target);
      copy(chunk, 1 + 4 * after, length, target);
    }

    /** Returns whether one more run may make another form shorter. */
    private static boolean isBetterApart(ByteBuffer chunk, int runs) {
      return runs + 1 >= MOST_RUNS || 2 * (runs + 1) > PostingChunk.cardinality(chunk) - 1;
    }

    private void removeFromRuns(ByteBuffer chunk, int id, ByteAppender target) {
      int length = chunk.remaining();
      int runs = length / 4;
      int at = firstAbove(chunk, 4, id) - 1;
      int start = runStart(chunk, at);
      int end = runEnd(chunk, at);
      boolean isSmall = runs <= 2 && PostingChunk.cardinality(chunk) <= 2 * SMALL_ARRAY;
      if (isSmall || start < id && id < end && isBetterApart(chunk, runs)) {
        takeApart(chunk, id, false, target);
        return;
      }
      copy(chunk, 0, 1 + 4 * at, target);
      run(start, id - 1, target);
      run(id + 1, end, target);
      copy(chunk, 1 + 4 * (at + 1), length, target);
    }

    /** Returns the offset in a bitmap chunk of the byte that has the bit of an id. */
    private static int byteOf(int id) {
      return 1 + (id >>> 6) * Long.BYTES + Long.BYTES - 1 - (id >>> 3 & Long.BYTES - 1);
    }

    private static void flip(ByteBuffer chunk, int id, ByteAppender target) {
      int start = target.length();
      copy(chunk, 0, PostingChunk.MAXIMUM_LENGTH, target);
      target.array()[start + byteOf(id)] ^= (byte) (1 << (id & 7));
    }

    private void addToBitmap(ByteBuffer chunk, int id, ByteAppender target) {
      int at = chunk.position();
      boolean joinsTwo =
          id > 0
              && id < 0xffff
              && PostingChunk.hasBit(chunk, at, id - 1)
              && PostingChunk.hasBit(chunk, at, id + 1);
      if (joinsTwo && countRuns(chunk) <= FEW_RUNS) {
        takeApart(chunk, id, true, target);
        return;
      }
      flip(chunk, id, target);
    }

    private static int countRuns(ByteBuffer bitmap) {
      int at = bitmap.position() + 1;
      int runs = 0;
      long before = 0;
      for (int i = 0; i < PostingChunk.WORDS; i++) {
        long word = bitmap.getLong(at + i * Long.BYTES);
        runs += Long.bitCount(word & ~(word << 1 | before));
        before = word >>> 63;
      }
      return runs;
    }

    private void removeFromBitmap(ByteBuffer chunk, int id, ByteAppender target) {
      if (PostingChunk.cardinality(chunk) <= FEW_IN_BITMAP) {
        takeApart(chunk, id, false, target);
        return;
      }
      flip(chunk, id, target);
    }
  }
}
