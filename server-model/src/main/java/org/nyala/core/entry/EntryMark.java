package org.nyala.core.entry;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A mark by which to detect whether an entry has changed since another transaction: its id, and a
 * check sum of its record, of a very long one only of both ends. These are its head, which holds
 * its attributes and their lengths, and its operational attributes, of which one has another value
 * after every change, unless root sets it to the same.
 *
 * <p>Confined to one running operation.
 */
public final class EntryMark {
  /** The number of bytes at each end of a record that show whether it has changed. */
  private static final int TELLING = 256 << 10;

  private long entryId = -1;
  private int length;
  private long sum;

  /** Marks an entry as it is. */
  public void put(EntryView entry) {
    entryId = entry.id();
    length = entry.recordLength();
    sum = sum(entry);
  }

  /** Returns whether an entry is the marked one, changed or not. */
  public boolean isOf(EntryView entry) {
    return entry.id() == entryId;
  }

  /** Returns whether an entry is the marked one, and has not changed. */
  public boolean isSame(EntryView entry) {
    return isOf(entry) && entry.recordLength() == length && sum(entry) == sum;
  }

  private static long sum(EntryView entry) {
    CRC32C sum = new CRC32C();
    ByteBuffer record = entry.buffer().duplicate();
    int end = entry.recordStart() + entry.recordLength();
    int head = Math.min(end, entry.recordStart() + TELLING);
    sum.update(record.limit(head).position(entry.recordStart()));
    sum.update(record.limit(end).position(Math.max(head, end - TELLING)));
    return sum.getValue();
  }
}
