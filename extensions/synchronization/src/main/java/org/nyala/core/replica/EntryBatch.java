package org.nyala.core.replica;

import java.util.ArrayList;
import java.util.List;

/**
 * The entries that go to the writer as one update.
 *
 * <p>Confined to one thread.
 */
final class EntryBatch {
  /** The entries of one update at most: fewer than it does in one commit, with room for others. */
  private static final int MOST = 128;

  private final int most;
  private List<Placement> entries = new ArrayList<>();
  private long bytes;

  /**
   * Creates a batch.
   *
   * @param windowMessages the messages that may wait for the writer: the next batch is read while
   *     the one before is written
   */
  EntryBatch(int windowMessages) {
    this.most = Math.clamp(windowMessages / 4, 1, MOST);
  }

  /** Adds an entry; true if the batch is full then. */
  boolean add(Placement placement) {
    entries.add(placement);
    bytes += placement.heldBytes();
    return entries.size() >= most;
  }

  /** Returns the number of entries. */
  int size() {
    return entries.size();
  }

  /** Returns the memory of the messages. */
  long bytes() {
    return bytes;
  }

  /** Takes all entries out. */
  List<Placement> take() {
    List<Placement> all = entries;
    entries = new ArrayList<>();
    bytes = 0;
    return all;
  }
}
