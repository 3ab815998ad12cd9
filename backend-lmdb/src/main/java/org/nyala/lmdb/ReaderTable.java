package org.nyala.lmdb;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

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

  /** Makes the file where there is none; LMDB takes zeros for one that was never used. */
  static void reserve(Path directory, int maximumReaders) throws IOException {
    Path file = directory.resolve(FILE_NAME);
    if (Files.exists(file) || !Files.isDirectory(directory)) {
      return;
    }
    Path aside = Files.createTempFile(directory, FILE_NAME, ".new");
    try {
      Files.write(aside, new byte[HEAD_BYTES + READER_BYTES * maximumReaders]);
      // Never in the place of one that somebody has made meanwhile, and never seen by halves.
      Files.createLink(file, aside);
    } catch (FileAlreadyExistsException | UnsupportedOperationException e) {
      // Then it is as LMDB makes it.
    } finally {
      Files.delete(aside);
    }
  }
}
