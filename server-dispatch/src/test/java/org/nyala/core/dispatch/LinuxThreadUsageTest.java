package org.nyala.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Tests the counters of threads against what the system says elsewhere. */
@EnabledOnOs(OS.LINUX)
class LinuxThreadUsageTest {
  private static final int PAGE_BYTES = 4_096;
  private static final int PAGES = 4_096;

  /** Field 12 of stat (proc(5)), counted after the name of the thread in parentheses. */
  private static final int MAJOR_FAULTS = 9;

  /** Below the build's folder: one for temporary files may be in memory. */
  private final Path file = Path.of("target", "page-faults.bin");

  private final ThreadUsage usage = LinuxThreadUsage.ofThisSystem();

  private static long majorFaults() throws IOException {
    String stat = Files.readString(Path.of("/proc/thread-self/stat"));
    return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[MAJOR_FAULTS]);
  }

  @Test
  void shouldCountPagesThatWereNotInMemory() throws Exception {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(PAGES * PAGE_BYTES));
      channel.force(true);
      Process dd = new ProcessBuilder("dd", "if=" + file, "iflag=nocache", "count=0").start();
      assertThat(dd.waitFor()).isZero();
      MappedByteBuffer map = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
      // Loads classes, which may come from the disk, too.
      assertThat(majorFaults()).isNotNegative();
      long outer = majorFaults();
      long before = usage.majorFaults();
      long inner = majorFaults();
      for (int i = 0; i < PAGES; i++) {
        assertThat(map.get(i * PAGE_BYTES)).isZero();
      }
      inner = majorFaults() - inner;
      long counted = usage.majorFaults() - before;
      // The code that reads the numbers may come from the disk, too.
      assertThat(counted).isBetween(inner, majorFaults() - outer);
    } finally {
      Files.delete(file);
    }
  }

  @Test
  void shouldReadTheClockOfTheThread() {
    long before = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    long nanos = usage.processorNanos();
    long after = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    assertThat(nanos).isBetween(before, after);
  }
}
