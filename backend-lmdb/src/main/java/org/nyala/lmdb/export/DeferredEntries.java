package org.nyala.lmdb.export;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The ids of entries that an export has to write later, in a temporary file: there may be millions.
 *
 * <p>Confined to one running operation. Filled first, then read, any number of times.
 */
final class DeferredEntries implements AutoCloseable {
  private @Nullable Path file;
  private @Nullable DataOutputStream output;
  private @Nullable DataInputStream input;
  private long count;
  private long left;
  private int largestRank;
  private long id;
  private int rank;

  void add(long entryId, int entryRank) throws IOException {
    DataOutputStream target = output;
    if (target == null) {
      Path made = Files.createTempFile("nyala-export", ".tmp");
      file = made;
      target = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(made)));
      output = target;
    }
    target.writeLong(entryId);
    target.writeInt(entryRank);
    largestRank = Math.max(largestRank, entryRank);
    count++;
  }

  /** Returns the largest rank of an entry; 0 if there is none. */
  int largestRank() {
    return largestRank;
  }

  /** Moves before the first entry; entries must not be added any more. */
  void rewind() throws IOException {
    left = count;
    closeStreams();
    Path made = file;
    if (made != null) {
      input = new DataInputStream(new BufferedInputStream(Files.newInputStream(made)));
    }
  }

  /** Moves to the next entry; false if there is none. */
  boolean next() throws IOException {
    DataInputStream source = input;
    if (source == null || left == 0) {
      return false;
    }
    id = source.readLong();
    rank = source.readInt();
    left--;
    return true;
  }

  /** Returns the id of the current entry. */
  long id() {
    return id;
  }

  /** Returns the rank of the current entry. */
  int rank() {
    return rank;
  }

  private void closeStreams() throws IOException {
    if (output != null) {
      output.close();
    }
    if (input != null) {
      input.close();
    }
  }

  /** Removes the file. */
  @Override
  public void close() throws IOException {
    closeStreams();
    if (file != null) {
      Files.deleteIfExists(file);
    }
  }
}
