package org.nyala.lmdb.env;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * The file {@value #FILE_NAME}, in which LMDB has a slot for each reader. It is mapped into memory,
 * and has holes if LMDB creates it: on a full disk, taking a slot in a hole ends the process
 * (SIGBUS). Created here, it has none.
 *
 * <p>Stateless.
 */
final class ReaderTable {
  /** The name that LMDB gives the file. */
  static final String FILE_NAME = "lock.mdb";

  /** LMDB's lengths of the header and of each reader slot, in bytes. */
  static final int HEAD_BYTES = 128;

  static final int READER_BYTES = 64;

  private static final String UNFINISHED = ".new";

  private ReaderTable() {}

  /** Creates the file if it does not exist and this process may: see {@link #reserve}. */
  static void tryToMake(Path directory, int maximumReaders) {
    try {
      if (!Files.exists(directory.resolve(FILE_NAME))) {
        make(directory, bytes(maximumReaders));
      }
    } catch (IOException e) {
      // LMDB reports the fault of the directory.
    }
  }

  /**
   * Creates the file if it does not exist; LMDB accepts zeros as a file that was never used. A
   * table with too few slots can grow only while no process has it open, since an open process
   * never notices the new size. To be called by the holder of the {@link StoreLock}: closing the
   * file releases the locks that LMDB has on it for this process.
   *
   * @throws IOException if the directory cannot be written to
   */
  static void reserve(Path directory, int maximumReaders) throws IOException {
    Path file = directory.resolve(FILE_NAME);
    int bytes = bytes(maximumReaders);
    deleteUnfinished(directory);
    if (!Files.exists(file)) {
      make(directory, bytes);
    } else if (MappedFile.isCopiedOnWrite(file)) {
      exchange(file, bytes);
    } else if (Files.size(file) < bytes) {
      lengthen(file, bytes);
    }
    MappedFile.probe(file);
  }

  /** Puts another table in the place of one that a full disk makes dangerous, unless it is open. */
  private static void exchange(Path file, int bytes) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock(0, 1, false)) {
      if (lock != null) {
        int length = Math.max(bytes, Math.toIntExact(channel.size()));
        Path aside = Files.createTempFile(file.getParent(), FILE_NAME, UNFINISHED);
        try {
          MappedFile.fill(aside, length);
          Files.move(aside, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
          Files.deleteIfExists(aside);
        }
      }
    }
  }

  /** Deletes what processes have left that were killed in {@link #make}. */
  private static void deleteUnfinished(Path directory) throws IOException {
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(directory, FILE_NAME + "?*" + UNFINISHED)) {
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
    }
  }

  private static int bytes(int maximumReaders) {
    return HEAD_BYTES + READER_BYTES * maximumReaders;
  }

  private static void lengthen(Path file, int bytes) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
        // A process that has the file open in LMDB holds a lock on its first byte.
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
    Path aside = Files.createTempFile(directory, FILE_NAME, UNFINISHED);
    try {
      MappedFile.fill(aside, bytes);
      // Never replaces a file that another process has made meanwhile, and is never seen
      // half-written.
      Files.createLink(directory.resolve(FILE_NAME), aside);
    } catch (FileAlreadyExistsException | UnsupportedOperationException e) {
      // The file is then as LMDB creates it.
    } finally {
      Files.deleteIfExists(aside);
    }
  }
}
