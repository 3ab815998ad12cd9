package org.nyala.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.nyala.lmdb.env.FileFailures;
import org.nyala.lmdb.env.PrivateFiles;

/**
 * A file that is rotated when it reaches a size; readable by its owner only. If another program
 * renames, deletes or truncates it, an append notices that within a second, and begins a new file
 * or goes on in the truncated one.
 *
 * <p>Confined to one thread. After a failure the next append tries again.
 */
final class LogFile implements AutoCloseable {
  private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final LogSettings settings;
  private @Nullable FileChannel channel;

  /** The lock of the file; null if there is none, or another log of this process has it. */
  private @Nullable FileLock lock;

  private @Nullable Object key;
  private long length;
  private long lookedNanos;

  LogFile(LogSettings settings) {
    this.settings = settings;
  }

  /** Opens the file, so that a folder that is not writable is noticed at once. */
  void open() throws IOException {
    if (channel == null) {
      Path folder = settings.file().toAbsolutePath().getParent();
      if (folder != null) {
        createFolder(folder);
      }
      FileChannel opened = openLocked(settings.file());
      length = opened.size();
      channel = opened;
      key = key();
      lookedNanos = System.nanoTime();
    }
  }

  private static void createFolder(Path folder) throws IOException {
    try {
      PrivateFiles.createFolders(folder);
    } catch (IOException e) {
      throw FileFailures.during("create the missing folder", folder, e);
    }
  }

  private FileChannel openLocked(Path file) throws IOException {
    FileChannel opened;
    try {
      opened =
          FileChannel.open(
              file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND), PRIVATE);
    } catch (IOException e) {
      throw FileFailures.during("write to", file, e);
    }
    if (!takesLock(opened)) {
      opened.close();
      throw new LogInUseException(file);
    }
    return opened;
  }

  /**
   * Takes a lock for as long as the file is open. Where the file system has none, and while another
   * log of this process has it, it goes on without.
   *
   * @return false if another process has it
   */
  private boolean takesLock(FileChannel opened) {
    try {
      lock = opened.tryLock();
      return lock != null;
    } catch (IOException | OverlappingFileLockException _) {
      lock = null;
      return true;
    }
  }

  /**
   * Returns what tells the file at the path from all others; null if there is none, and what was
   * known if that cannot be learned, so that the log goes on.
   */
  private @Nullable Object key() {
    try {
      return Files.readAttributes(settings.file(), BasicFileAttributes.class).fileKey();
    } catch (NoSuchFileException _) {
      return null;
    } catch (IOException _) {
      return key;
    }
  }

  /** Leaves a file that was renamed or deleted, and learns the length of one that was truncated. */
  private void look() throws IOException {
    FileChannel open = channel;
    long now = System.nanoTime();
    if (open == null || now - lookedNanos < LOOK_NANOS) {
      return;
    }
    lookedNanos = now;
    if (Objects.equals(key(), key)) {
      length = open.size();
      if (lock == null) {
        // The log of this process that had it may be closed, as after a reload.
        boolean _ = takesLock(open);
      }
    } else {
      close();
      length = 0;
    }
  }

  /** Appends whole lines; they are never split between two files. */
  void append(byte[] lines) throws IOException {
    look();
    if (length > 0 && length + lines.length > settings.fileBytes()) {
      rotate();
    }
    open();
    FileChannel target = channel;
    if (target == null) {
      throw new IOException(settings.file() + " is not open");
    }
    ByteBuffer buffer = ByteBuffer.wrap(lines);
    try {
      while (buffer.hasRemaining()) {
        length += target.write(buffer);
      }
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  private void rotate() throws IOException {
    close();
    for (int number = settings.files() - 1; number >= 1; number--) {
      if (Files.exists(older(number))) {
        move(older(number), older(number + 1));
      }
    }
    if (Files.exists(settings.file())) {
      move(settings.file(), older(1));
    }
    length = 0;
  }

  private static void move(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
  }

  private Path older(int number) {
    return settings.file().resolveSibling(settings.file().getFileName() + "." + number);
  }

  @Override
  public void close() throws IOException {
    FileChannel last = channel;
    channel = null;
    if (last != null) {
      last.close();
    }
  }
}
