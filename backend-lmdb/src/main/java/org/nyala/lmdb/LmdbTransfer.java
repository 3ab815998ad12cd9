package org.nyala.lmdb;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.lmdbjava.CopyFlags;
import org.lmdbjava.LmdbException;
import org.nyala.core.backend.LogMark;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.StoreTransfer;
import org.nyala.core.backend.StoreUnavailableException;
import org.nyala.lmdb.env.FileFailures;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.env.PrivateFiles;
import org.nyala.lmdb.env.StagedDirectory;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.env.StoreFailures;
import org.nyala.lmdb.format.StoreMeta;

/**
 * The transfer of a store as LMDB's data file without free pages. Thread-safe, but that one thread
 * at a time replaces the data: the one that changes the store.
 */
final class LmdbTransfer implements StoreTransfer {
  /** Room on the disk beyond the file, so that a copy alone fills none. */
  private static final long SPARE_BYTES = 16L << 20;

  /** The attempts to exchange the files between reads; each takes two seconds at most. */
  private static final int ATTEMPTS = 5;

  private final LmdbBackend backend;
  private final LmdbEnvironment environment;
  private final LmdbSettings settings;

  LmdbTransfer(LmdbBackend backend, LmdbSettings settings) {
    this.backend = backend;
    this.environment = backend.environment();
    this.settings = settings;
  }

  @Override
  public long bytes() {
    return backend.status().space().usedBytes();
  }

  @Override
  public String fileName() {
    return LmdbEnvironment.DATA_FILE;
  }

  @Override
  public String format() {
    try (ReadTransaction read = backend.beginRead()) {
      return StoreMeta.format(environment, ((LmdbSnapshot) read).slot().txn());
    }
  }

  @Override
  public Path copy(Path folder) throws IOException {
    PrivateFiles.createFolders(folder);
    long needed = bytes() + SPARE_BYTES;
    long free = folder.toFile().getUsableSpace();
    if (free < needed) {
      throw new IOException(
          "a copy of the store needs " + needed + " bytes of disk, and " + free + " are free");
    }
    Path file = folder.resolve(LmdbEnvironment.DATA_FILE);
    backend.readers().beginLongRead();
    // While a read is open, the store is not closed, and its map is not moved.
    try (ReadTransaction _ = backend.beginRead()) {
      environment.env().copy(folder.toFile(), CopyFlags.MDB_CP_COMPACT);
    } catch (LmdbException e) {
      throw new IOException("the store cannot be copied: " + StoreFailures.copyReason(e), e);
    } finally {
      backend.readers().endLongRead();
    }
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return file;
  }

  @Override
  public LogMark check(Path folder) throws IOException {
    try (LmdbBackend copy =
        LmdbBackend.open(folder, backend.extendedSchema().base(), settings.asReadOnly())) {
      copy.requireDefinedClasses();
      if (!copy.namingContexts().equals(backend.namingContexts())) {
        throw new IOException(
            "the copy has the naming contexts "
                + copy.namingContexts()
                + ", and this server "
                + backend.namingContexts());
      }
      try (ReadTransaction read = copy.beginRead()) {
        LogMark mark = read.logMark();
        if (mark == null) {
          throw new IOException("the copy has no place in the log of a cluster");
        }
        return mark;
      }
    } catch (StoreException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  @Override
  public void replace(Path folder) throws IOException {
    try (StagedDirectory staged = StagedDirectory.besideOpen(environment, folder);
        // The system frees the pages of the old file when its last user closes it, a second for
        // some gibibytes: not while reads wait.
        FileChannel _ = FileChannel.open(staged.dataFile(), StandardOpenOption.READ)) {
      IOException[] failure = new IOException[1];
      boolean isDone = false;
      for (int attempt = 0; attempt < ATTEMPTS && !isDone && failure[0] == null; attempt++) {
        isDone = backend.gate().whileHeld(() -> replaceHeld(staged, failure));
      }
      if (failure[0] != null) {
        throw failure[0];
      }
      if (!isDone) {
        throw new IOException("a read has not ended in time to exchange the data");
      }
    } catch (StoreException e) {
      String reason = String.valueOf(e.getMessage());
      environment.health().lost(reason);
      throw new StoreUnavailableException(reason, e);
    }
  }

  private boolean replaceHeld(StagedDirectory staged, IOException[] failure) {
    try {
      if (backend.gate().isRecording()) {
        throw new IOException("the store is compacted at this moment");
      }
      // The table of readers, and what is remembered of the store, go by the number of the last
      // transaction: the new data have a later one.
      staged.complete(environment.env().info().lastTransactionId + 1);
      boolean isDone = backend.replaceFile(() -> staged.exchange(() -> {}), true);
      backend.indexUses().clear();
      return isDone;
    } catch (IOException e) {
      failure[0] = new IOException("the data are as they were: " + FileFailures.reason(e), e);
      return false;
    }
  }
}
