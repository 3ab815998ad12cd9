package org.nyala.lmdb.env;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.TreeSet;
import org.lmdbjava.Dbi;
import org.lmdbjava.Txn;

/**
 * The keys at which the writer has changed the databases since a moment, without the values: those
 * are read from the store when the changes are made good in a copy of it. Keys of transactions that
 * were not committed are recorded too, and do no harm.
 *
 * <p>Confined to the holder of the right to write while it records; afterwards to the thread that
 * replays it. {@link #isFull} may be called by the former only.
 */
public final class ChangeJournal {
  /** The approximate heap that a recorded key takes beside its bytes: node, array, references. */
  private static final int BYTES_PER_KEY = 80;

  /** The keys that are replayed in one transaction, whose dirty pages LMDB keeps in memory. */
  private static final int KEYS_PER_TRANSACTION = 10_000;

  private final List<Dbi<ByteBuffer>> databases;
  private final List<TreeSet<byte[]>> keys;
  private final long maximumBytes;
  private long bytes;
  private int count;

  /**
   * Creates an empty journal of a store.
   *
   * @param maximumBytes the memory after which it counts as full
   */
  public ChangeJournal(LmdbEnvironment environment, long maximumBytes) {
    this.databases = environment.databases();
    this.keys = databases.stream().map(_ -> new TreeSet<byte[]>(Arrays::compareUnsigned)).toList();
    this.maximumBytes = maximumBytes;
  }

  /** Records a key, whose buffer is left as it was. */
  void record(Dbi<ByteBuffer> database, ByteBuffer key) {
    byte[] copy = new byte[key.remaining()];
    key.get(key.position(), copy);
    if (keys.get(databases.indexOf(database)).add(copy)) {
      bytes += copy.length + BYTES_PER_KEY;
      count++;
    }
  }

  /** Returns whether it has taken all the memory that it may. */
  public boolean isFull() {
    return bytes >= maximumBytes;
  }

  /** Returns the number of keys. */
  public int count() {
    return count;
  }

  /**
   * Makes a copy equal to a snapshot at all keys, in several transactions.
   *
   * @param snapshot a read of the store that was begun after the last key was recorded
   * @param copy the copy, without other transactions
   * @throws StoreException if LMDB cannot
   */
  public void replay(Txn<ByteBuffer> snapshot, LmdbEnvironment copy) {
    for (int i = 0; i < databases.size(); i++) {
      Iterator<byte[]> left = keys.get(i).iterator();
      while (left.hasNext()) {
        replay(left, snapshot, databases.get(i), copy, copy.databases().get(i));
      }
    }
  }

  private static void replay(
      Iterator<byte[]> left,
      Txn<ByteBuffer> snapshot,
      Dbi<ByteBuffer> from,
      LmdbEnvironment copy,
      Dbi<ByteBuffer> to) {
    ByteBuffer key = ByteBuffer.allocateDirect(512);
    try (Txn<ByteBuffer> txn = copy.beginWrite()) {
      for (int n = 0; n < KEYS_PER_TRANSACTION && left.hasNext(); n++) {
        key.clear().put(left.next()).flip();
        ByteBuffer value = from.get(snapshot, key);
        if (value == null) {
          to.delete(txn, key);
        } else {
          to.put(txn, key, value);
        }
      }
      txn.commit();
    }
  }
}
