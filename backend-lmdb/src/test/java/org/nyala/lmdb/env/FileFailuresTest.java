package org.nyala.lmdb.env;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileFailuresTest {
  @TempDir Path folder;

  @Test
  void shouldNameTheOperationThePathAndTheReason() {
    Path path = Path.of("/x/y");
    assertThat(FileFailures.during("create", path, new AccessDeniedException("/x/y")))
        .hasMessage("cannot create /x/y: permission denied");
    assertThat(FileFailures.during("create", path, new AccessDeniedException("/x")))
        .hasMessage("cannot create /x/y: /x: permission denied");
    assertThat(
            FileFailures.reason(
                FileFailures.during("read", path, new IOException("Input/output error"))))
        .isEqualTo("cannot read /x/y: the disk cannot be read or written to");
  }

  @Test
  void shouldGiveFileAndReason() {
    assertReason("/x: no such file", new NoSuchFileException("/x"));
    assertReason("/x: permission denied", new AccessDeniedException("/x"));
    assertReason("/x: the folder is not empty", new DirectoryNotEmptyException("/x"));
    assertReason(
        "/x: the disk is full", new FileSystemException("/x", "/y", "No space left on device"));
    assertReason(
        "/x: the file system is read-only",
        new FileSystemException("/x", null, "Read-only file system"));
    assertReason("/x: Too many links", new FileSystemException("/x", null, "Too many links"));
    assertReason("/x: FileSystemException", new FileSystemException("/x"));
    assertReason("the disk is full", new IOException("No space left on device"));
    assertReason("one two", new IOException("one\n  two"));
    assertReason("IOException", new IOException());
    assertReason(
        "/x: permission denied", new UncheckedIOException(new AccessDeniedException("/x")));
  }

  private static void assertReason(String expected, Exception failure) {
    assertThat(FileFailures.reason(failure)).isEqualTo(expected);
  }

  @Test
  void shouldSeeWhetherALockIsHeld() throws IOException {
    assertThat(StoreLock.isHeld(folder)).isFalse();
    try (StoreLock _ = StoreLock.acquire(folder)) {
      assertThat(StoreLock.isHeld(folder)).isTrue();
    }
    assertThat(StoreLock.isHeld(folder)).isFalse();
    Files.delete(folder.resolve(StoreLock.FILE_NAME));
    Files.createDirectory(folder.resolve(StoreLock.FILE_NAME));
    assertThat(StoreLock.isHeld(folder)).as("it cannot be told").isTrue();
  }
}
