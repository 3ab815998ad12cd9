package org.nyala.lmdb.env;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The right to write to a data directory, held by the process that has locked the file {@value
 * #FILE_NAME} in it. Readers need no lock.
 *
 * <p>Thread-safe.
 */
public final class StoreLock implements AutoCloseable {
  public static final String FILE_NAME = "nyala.lock";

  /*
   * POSIX locks belong to the whole process, and closing any channel of the file releases them,
   * even one that was opened in a failed second attempt. So the process has to remember the files
   * that it must not even open.
   */
  private static final Set<Path> HELD_BY_THIS_PROCESS = ConcurrentHashMap.newKeySet();

  private final Path place;
  private final FileChannel channel;

  private StoreLock(Path place, FileChannel channel) {
    this.place = place;
    this.channel = channel;
  }

  /**
   * Locks a data directory, which must exist.
   *
   * @throws StoreException if another process or another part of this one holds the lock
   */
  public static StoreLock acquire(Path directory) {
    StoreLock lock = tryAcquire(directory);
    if (lock == null) {
      throw new StoreException(
          "the data directory " + directory + " is in use by another Nyala process; stop it first");
    }
    return lock;
  }

  /** Locks a data directory, which must exist; null if it is in use. */
  public static @Nullable StoreLock tryAcquire(Path directory) {
    try {
      Path place = directory.toRealPath();
      if (!HELD_BY_THIS_PROCESS.add(place)) {
        return null;
      }
      StoreLock lock = null;
      try {
        lock = lock(place);
        return lock;
      } finally {
        if (lock == null) {
          HELD_BY_THIS_PROCESS.remove(place);
        }
      }
    } catch (IOException e) {
      throw new StoreException(
          "cannot lock the data directory " + directory + ": " + FileFailures.reason(e), e);
    }
  }

  /**
   * Returns whether someone holds the lock of a data directory, or this process may not find that
   * out. For a moment it holds the lock itself, so that others may find it held.
   */
  public static boolean isHeld(Path directory) {
    if (!Files.exists(directory.resolve(FILE_NAME))) {
      return false;
    }
    try (StoreLock lock = tryAcquire(directory)) {
      return lock == null;
    } catch (StoreException _) {
      return true;
    }
  }

  private static @Nullable StoreLock lock(Path place) throws IOException {
    Path file = place.resolve(FILE_NAME);
    PrivateFiles.closeToOthers(file);
    FileChannel channel =
        PrivateFiles.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLock lock = null;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException _) {
      // The same directory by another path, such as a second mount.
    } finally {
      if (lock == null) {
        channel.close();
      }
    }
    return lock == null ? null : new StoreLock(place, channel);
  }

  /** Releases the lock. Idempotent. */
  @Override
  public synchronized void close() {
    if (!channel.isOpen()) {
      return;
    }
    try {
      channel.close();
    } catch (IOException e) {
      throw new StoreException("cannot close the lock file in " + place, e);
    } finally {
      HELD_BY_THIS_PROCESS.remove(place);
    }
  }
}
