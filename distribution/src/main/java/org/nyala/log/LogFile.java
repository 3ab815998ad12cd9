package org.nyala.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.lmdb.env.FileFailures;
import org.nyala.lmdb.env.PrivateFiles;

/**
 * A file that is rotated when it reaches a size; readable by its owner only.
 *
 * <p>Confined to one thread. After a failure the next append tries again.
 */
final class LogFile implements AutoCloseable {
  private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private final LogSettings settings;
  private @Nullable FileChannel channel;
  private long length;

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
      FileChannel opened = openChannel(settings.file());
      length = opened.size();
      channel = opened;
    }
  }

  private static void createFolder(Path folder) throws IOException {
    try {
      PrivateFiles.createFolders(folder);
    } catch (IOException e) {
      throw FileFailures.during("create the missing folder", folder, e);
    }
  }

  private static FileChannel openChannel(Path file) throws IOException {
    try {
      return FileChannel.open(
          file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND), PRIVATE);
    } catch (IOException e) {
      throw FileFailures.during("write to", file, e);
    }
  }

  /** Appends whole lines; they are never split between two files. */
  void append(byte[] lines) throws IOException {
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
