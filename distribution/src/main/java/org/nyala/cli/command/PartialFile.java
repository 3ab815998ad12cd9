package org.nyala.cli.command;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.nyala.lmdb.env.JobGuard;

/**
 * The file that an export is written to before it is complete, readable by its owner only. Locked
 * while it is written: the next export to the same folder deletes the files of killed ones.
 *
 * <p>Confined to one running operation. Deleted if it is closed before it has its place, also if
 * the process is asked to end.
 */
final class PartialFile implements AutoCloseable {
  private static final String PREFIX = ".nyala-export-";
  private static final String SUFFIX = ".partial";

  /** The files of this process: closing another channel of one would release its lock. */
  private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

  private final Path path;
  private final FileChannel channel;
  private final JobGuard guard;
  private boolean isMoved;

  private PartialFile(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
    this.guard = JobGuard.begin(() -> deleteQuietly(path));
  }

  /** Creates a file in a folder, after the remains of killed exports there are deleted. */
  static PartialFile create(Path folder) throws IOException {
    deleteRemains(folder);
    while (true) {
      Path path = Files.createTempFile(folder, PREFIX, SUFFIX);
      OWN.add(path);
      PartialFile file = new PartialFile(path, open(path));
      // Another export takes a file that is not locked yet for the remains of a killed one.
      if (file.isLocked() && Files.exists(path)) {
        return file;
      }
      file.close();
    }
  }

  private static FileChannel open(Path path) throws IOException {
    FileChannel channel = null;
    try {
      channel = FileChannel.open(path, StandardOpenOption.WRITE);
      return channel;
    } finally {
      if (channel == null) {
        OWN.remove(path);
        deleteQuietly(path);
      }
    }
  }

  private boolean isLocked() {
    try {
      FileLock lock = channel.tryLock();
      return lock != null;
    } catch (IOException _) {
      // A file system without locks: nobody can lock, and so nobody deletes it.
      return true;
    }
  }

  private static void deleteRemains(Path folder) {
    try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, PREFIX + "*" + SUFFIX)) {
      for (Path path : found) {
        if (!OWN.contains(path) && Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
          deleteUnlessLocked(path);
        }
      }
    } catch (IOException _) {
      // A folder that cannot be listed keeps them.
    }
  }

  private static void deleteUnlessLocked(Path path) {
    try (FileChannel channel =
            FileChannel.open(path, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        FileLock lock = channel.tryLock()) {
      if (lock != null) {
        Files.deleteIfExists(path);
      }
    } catch (IOException | OverlappingFileLockException _) {
      // A file of another user, or one that is in use.
    }
  }

  private static void deleteQuietly(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException _) {
      // The next export to this folder tries again.
    }
  }

  /** Returns the channel to write to. */
  FileChannel channel() {
    return channel;
  }

  /** Gives the file, which must be on disk, its place, in which it replaces another. */
  void moveTo(Path target) throws IOException {
    guard.decide(
        () -> {
          Files.move(path, target, StandardCopyOption.ATOMIC_MOVE);
          isMoved = true;
        });
  }

  @Override
  public void close() throws IOException {
    guard.end(this::deleteUnlessMoved);
  }

  private void deleteUnlessMoved() throws IOException {
    try (channel) {
      if (!isMoved) {
        Files.deleteIfExists(path);
      }
    } finally {
      OWN.remove(path);
    }
  }
}
