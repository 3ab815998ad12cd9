package org.nyala.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogFileTest {
  private static final byte[] LINE = {'a', '\n'};

  @TempDir Path folder;

  /** Returns whether a log of this process has the lock. */
  private static boolean isLocked(Path file) throws Exception {
    try (FileChannel other = FileChannel.open(file, StandardOpenOption.APPEND);
        FileLock lock = other.tryLock()) {
      assertThat(lock).isNotNull();
      return false;
    } catch (OverlappingFileLockException _) {
      return true;
    }
  }

  /** As a reload does: the log is opened anew before the former one is closed. */
  @Test
  void shouldTakeOverTheLockOfTheLogBeforeIt() throws Exception {
    Path file = folder.resolve("security.log");
    LogSettings settings = new LogSettings(file, 1 << 20, 2, 2, 1);
    try (LogFile next = new LogFile(settings)) {
      try (LogFile former = new LogFile(settings)) {
        former.open();
        assertThat(isLocked(file)).isTrue();
        next.open();
      }
      assertThat(isLocked(file)).isFalse();
      eventually(
          "the lock is taken over",
          () -> {
            next.append(LINE);
            return isLocked(file);
          });
    }
    assertThat(isLocked(file)).isFalse();
  }
}
