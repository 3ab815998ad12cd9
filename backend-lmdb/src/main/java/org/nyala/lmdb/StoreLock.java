package org.nyala.lmdb;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * The right to write to a data directory: held by the process that has locked the file {@value
 * #FILE_NAME} in it. Readers need no lock.
 *
 * <p>Thread-safe.
 */
public final class StoreLock implements AutoCloseable {
  /** The name of the locked file. */
  public static final String FILE_NAME = "nyala.lock";

  private final FileChannel channel;

  private StoreLock(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Locks a data directory, which must exist.
   *
   * @throws StoreException when another process or another part of this one holds the lock
   */
  public static StoreLock acquire(Path directory) {
    StoreLock lock = tryAcquire(directory);
    if (lock == null) {
      throw new StoreException(
          "the data directory " + directory + " is in use by another Nyala process; stop it first");
    }
    return lock;
  }

  /** Locks a data directory, which must exist; null when it is in use. */
  public static @Nullable StoreLock tryAcquire(Path directory) {
    FileChannel channel = null;
    try {
      channel =
          FileChannel.open(
              directory.resolve(FILE_NAME), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      FileLock lock = channel.tryLock();
      if (lock != null) {
        return new StoreLock(channel);
      }
      channel.close();
      return null;
    } catch (OverlappingFileLockException _) {
      closeQuietly(channel);
      return null;
    } catch (IOException e) {
      closeQuietly(channel);
      throw new StoreException("cannot lock the data directory " + directory, e);
    }
  }

  private static void closeQuietly(@Nullable FileChannel channel) {
    if (channel == null) {
      return;
    }
    try {
      channel.close();
    } catch (IOException e) {
      throw new StoreException("cannot close a lock file", e);
    }
  }

  /** Gives the right back. Idempotent. */
  @Override
  public void close() {
    closeQuietly(channel);
  }
}
