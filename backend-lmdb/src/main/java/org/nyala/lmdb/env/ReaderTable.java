package org.nyala.lmdb.env;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The file {@value #FILE_NAME}, in which LMDB has a place for each reader. It is mapped into memory
 * and has holes where LMDB makes it: on a disk that has become full, whoever takes a place in a
 * hole ends the process (SIGBUS). Made here, it has none.
 *
 * <p>Stateless.
 */
final class ReaderTable {
  /** The name that LMDB gives the file. */
  static final String FILE_NAME = "lock.mdb";

  /** LMDB: what stands before the readers, and each of them, in bytes. */
  static final int HEAD_BYTES = 128;

  static final int READER_BYTES = 64;

  private ReaderTable() {}

  /** Makes the file where there is none, if this process may: see {@link #reserve}. */
  static void tryToMake(Path directory, int maximumReaders) {
    try {
      if (!Files.exists(directory.resolve(FILE_NAME))) {
        make(directory, bytes(maximumReaders));
      }
    } catch (IOException e) {
      // LMDB says what it wants of the directory.
    }
  }

  /**
   * Makes the file where there is none; LMDB takes zeros for one that was never used. One that has
   * too few places gets more while nobody has it open: who has knows of no more. To be called by
   * who has the {@link StoreLock}: to close the file gives back the locks that LMDB has on it for
   * this process.
   *
   * @throws IOException when the directory cannot be written to
   */
  static void reserve(Path directory, int maximumReaders) throws IOException {
    Path file = directory.resolve(FILE_NAME);
    int bytes = bytes(maximumReaders);
    if (!Files.exists(file)) {
      make(directory, bytes);
    } else if (Files.size(file) < bytes) {
      lengthen(file, bytes);
    }
  }

  private static int bytes(int maximumReaders) {
    return HEAD_BYTES + READER_BYTES * maximumReaders;
  }

  private static void lengthen(Path file, int bytes) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
        // LMDB: who opens the file has a lock on its first byte.
        FileLock lock = channel.tryLock(0, 1, false)) {
      if (lock != null) {
        ByteBuffer zeros = ByteBuffer.allocate(bytes - Math.toIntExact(channel.size()));
        while (zeros.hasRemaining()) {
          int _ = channel.write(zeros, channel.size());
        }
      }
    }
  }

  private static void make(Path directory, int bytes) throws IOException {
    Path aside = Files.createTempFile(directory, FILE_NAME, ".new");
    try {
      Files.write(aside, new byte[bytes]);
      // Never in the place of one that somebody has made meanwhile, and never seen by halves.
      Files.createLink(directory.resolve(FILE_NAME), aside);
    } catch (FileAlreadyExistsException | UnsupportedOperationException e) {
      // Then it is as LMDB makes it.
    } finally {
      Files.delete(aside);
    }
  }
}
