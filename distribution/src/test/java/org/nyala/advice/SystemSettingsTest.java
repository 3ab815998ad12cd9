package org.nyala.advice;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.management.bean.FindingsMXBean.Finding;
import org.nyala.management.bean.FindingsMXBean.Weight;

/** The settings of the system, by files as Linux has them. */
class SystemSettingsTest {
  private static final long GIBIBYTE = 1L << 30;

  @TempDir Path root;
  @TempDir Path data;

  private void write(String file, String text) throws IOException {
    Path target = root.resolve(file);
    Files.createDirectories(target.getParent());
    Files.writeString(target, text);
  }

  private List<Finding> memory(long usedBytes, boolean readsAhead) {
    return new SystemSettings(root).memory(data, usedBytes, readsAhead);
  }

  /** Sets up a machine with 8 GiB, no swap, and pages on request. */
  private void sound() throws IOException {
    write("proc/meminfo", "MemTotal:        8388608 kB\nSwapTotal:             0 kB\n");
    write("proc/self/status", "Name:\tjava\nVmSwap:\t       0 kB\n");
    write("proc/sys/vm/swappiness", "60\n");
    write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    write("sys/kernel/mm/transparent_hugepage/defrag", "always defer [madvise] never\n");
  }

  @Test
  void shouldFindASoundSystemWell() throws IOException {
    sound();
    assertThat(memory(4 * GIBIBYTE, true)).isEmpty();
  }

  @Test
  void shouldSayNothingOfWhatTheSystemDoesNotTell() {
    assertThat(memory(Long.MAX_VALUE, true)).isEmpty();
  }

  @Test
  void shouldFindSwap() throws IOException {
    sound();
    write("proc/meminfo", "MemTotal:        8388608 kB\nSwapTotal:       1048576 kB\n");
    assertThat(memory(0, true))
        .singleElement()
        .satisfies(
            found -> {
              assertThat(found.weight()).isEqualTo(Weight.ADVICE);
              assertThat(found.sentence()).contains("vm.swappiness is 60");
              assertThat(found.command()).isEqualTo("sysctl vm.swappiness=1");
            });
    write("proc/sys/vm/swappiness", "1\n");
    assertThat(memory(0, true)).isEmpty();
    write("proc/self/status", "Name:\tjava\nVmSwap:\t   20480 kB\n");
    assertThat(memory(0, true))
        .singleElement()
        .satisfies(
            found -> {
              assertThat(found.weight()).isEqualTo(Weight.WARNING);
              assertThat(found.sentence()).startsWith("20 MiB of this process are swapped out");
            });
  }

  /** Returns the numbers of the device of a folder, as the kernel lists them for its mounts. */
  private static String device(Path folder) throws IOException {
    String best = "";
    String device = "";
    for (String line : Files.readAllLines(Path.of("/proc/self/mountinfo"))) {
      String[] words = line.split(" ", -1);
      if (folder.startsWith(words[4]) && words[4].length() >= best.length()) {
        best = words[4];
        device = words[2];
      }
    }
    return device;
  }

  @Test
  void shouldFindReadAheadForDataLargerThanMemory() throws IOException {
    sound();
    assertThat(memory(9 * GIBIBYTE, false)).isEmpty();
    assertThat(memory(9 * GIBIBYTE, true))
        .singleElement()
        .satisfies(
            found ->
                assertThat(found.sentence())
                    .isEqualTo(
                        "the data file of 9216 MiB is larger than the memory of 8192 MiB, and the"
                            + " system reads ahead for it: set store.readAhead = false"));
    write("sys/fs/cgroup/memory.max", "1073741824\n");
    write("sys/dev/block/" + device(data) + "/queue/read_ahead_kb", "4096\n");
    assertThat(memory(2 * GIBIBYTE, true))
        .singleElement()
        .satisfies(
            found ->
                assertThat(found.sentence())
                    .contains("the memory of 1024 MiB", ", 4096 KiB around each page"));
    write("sys/fs/cgroup/memory.max", "max\n");
    assertThat(memory(2 * GIBIBYTE, true)).isEmpty();
  }

  @Test
  void shouldFindPagesThatAreOffOrMakeOthersWait() throws IOException {
    sound();
    write("sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
    write("sys/kernel/mm/transparent_hugepage/defrag", "[always] defer madvise never\n");
    assertThat(memory(0, true))
        .extracting(Finding::command)
        .containsExactly("echo madvise > /sys/kernel/mm/transparent_hugepage/enabled");
    write("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
    assertThat(memory(0, true))
        .extracting(Finding::command)
        .containsExactly("echo madvise > /sys/kernel/mm/transparent_hugepage/defrag");
  }
}
