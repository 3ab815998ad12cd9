package org.nyala.lmdb.write;

import java.util.Arrays;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.lmdb.format.IndexKeys;
import org.nyala.lmdb.format.IndexKind;
import org.nyala.lmdb.posting.AddedPostings;
import org.nyala.lmdb.posting.PostingWriter;

/**
 * The index key prefixes that an entry had before a change and those that it has afterwards:
 * prefixes in only one of the sets are removed from the index, or added to it.
 *
 * <p>Confined to the writer's thread, which fills it anew for each change.
 */
final class KeyChanges {
  private static final int BEFORE = 1;
  private static final int AFTER = 2;
  private static final int SMALLEST_TABLE = 256;

  /** A table that grew beyond this is not kept: one entry may have very many keys. */
  private static final int LARGEST_KEPT = 1 << 14;

  private final ByteAppender keys = new ByteAppender(4096);
  private final IndexValues.KeySink before = (prefix, length) -> mark(prefix, length, BEFORE);
  private final IndexValues.KeySink after = (prefix, length) -> mark(prefix, length, AFTER);
  private final IndexValues.KeySink retained = this::retain;
  private int[] ends = new int[SMALLEST_TABLE / 2];
  private int[] hashes = new int[SMALLEST_TABLE / 2];
  private byte[] marks = new byte[SMALLEST_TABLE / 2];

  /** Open addressing: one more than the number of the key, or 0. Never more than half full. */
  private int[] table = new int[SMALLEST_TABLE];

  private int count;

  KeyChanges clear() {
    if (table.length > LARGEST_KEPT) {
      resize(SMALLEST_TABLE);
    } else if (count > 0) {
      Arrays.fill(table, 0);
    }
    count = 0;
    keys.clear();
    return this;
  }

  private void resize(int size) {
    table = new int[size];
    ends = Arrays.copyOf(ends, size / 2);
    hashes = Arrays.copyOf(hashes, size / 2);
    marks = Arrays.copyOf(marks, size / 2);
  }

  /** Returns the sink for the prefixes before the change. */
  IndexValues.KeySink before() {
    return before;
  }

  /** Returns the sink for the prefixes after the change. */
  IndexValues.KeySink after() {
    return after;
  }

  /** Returns the sink for prefixes that are there after the change if they were before. */
  IndexValues.KeySink retained() {
    return retained;
  }

  private void retain(byte[] prefix, int length) {
    int index = find(prefix, length, hash(prefix, length));
    if (index >= 0) {
      marks[index] |= AFTER;
    }
  }

  boolean isAfter(byte[] prefix, int length) {
    int index = find(prefix, length, hash(prefix, length));
    return index >= 0 && (marks[index] & AFTER) != 0;
  }

  /**
   * Returns the number of prefixes that other values may share and that are there before the change
   * only.
   */
  int pendingShared() {
    int pending = 0;
    for (int index = 0; index < count; index++) {
      int kind = keys.array()[start(index) + IndexKeys.KIND_AT];
      pending += IndexKind.isShared(kind) && marks[index] == BEFORE ? 1 : 0;
    }
    return pending;
  }

  private void mark(byte[] prefix, int length, int mark) {
    int hash = hash(prefix, length);
    int index = find(prefix, length, hash);
    if (index >= 0) {
      marks[index] |= (byte) mark;
    } else {
      add(prefix, length, hash, mark);
    }
  }

  private int find(byte[] prefix, int length, int hash) {
    int slot = hash & table.length - 1;
    while (table[slot] != 0) {
      int index = table[slot] - 1;
      if (hashes[index] == hash && isKey(index, prefix, length)) {
        return index;
      }
      slot = slot + 1 & table.length - 1;
    }
    return -1;
  }

  private void add(byte[] prefix, int length, int hash, int mark) {
    if (count == ends.length) {
      grow();
    }
    keys.append(prefix, 0, length);
    ends[count] = keys.length();
    hashes[count] = hash;
    marks[count] = (byte) mark;
    count++;
    link(count - 1);
  }

  private void grow() {
    resize(table.length * 2);
    for (int index = 0; index < count; index++) {
      link(index);
    }
  }

  private void link(int index) {
    int slot = hashes[index] & table.length - 1;
    while (table[slot] != 0) {
      slot = slot + 1 & table.length - 1;
    }
    table[slot] = index + 1;
  }

  private int start(int index) {
    return index == 0 ? 0 : ends[index - 1];
  }

  private boolean isKey(int index, byte[] prefix, int length) {
    return Arrays.equals(keys.array(), start(index), ends[index], prefix, 0, length);
  }

  static int hash(byte[] prefix, int length) {
    int hash = 1;
    for (int i = 0; i < length; i++) {
      hash = 31 * hash + prefix[i];
    }
    return hash ^ hash >>> 15;
  }

  /** Adds all prefixes of an entry, which is new, to those that are written later. */
  void addTo(AddedPostings added, long entryId) {
    for (int index = 0; index < count; index++) {
      int start = start(index);
      added.add(hashes[index], keys.array(), start, ends[index] - start, entryId);
    }
  }

  /** Carries out the difference for an entry. */
  void apply(PostingWriter postings, long entryId) {
    for (int index = 0; index < count; index++) {
      if (marks[index] != (BEFORE | AFTER)) {
        int start = start(index);
        postings.update(keys.array(), start, ends[index] - start, entryId, marks[index] == AFTER);
      }
    }
  }
}
