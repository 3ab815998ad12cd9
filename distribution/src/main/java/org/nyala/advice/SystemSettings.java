package org.nyala.advice;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.nyala.management.bean.FindingsMXBean.Finding;
import org.nyala.management.bean.FindingsMXBean.Weight;

/**
 * The settings of Linux that a directory server suffers from: swap, read-ahead, large pages, the
 * clock. What the system does not tell is left out.
 *
 * <p>Immutable. It reads some small files of {@code /proc} and {@code /sys}.
 */
public final class SystemSettings {
  private static final String SYSTEM = "system";
  private static final String CLOCK = "clock";
  private static final String MEMORY_STATE = "proc/meminfo";
  private static final String SWAPPINESS = "proc/sys/vm/swappiness";
  private static final String LARGE_PAGES = "sys/kernel/mm/transparent_hugepage/";

  /** A server's heap is rarely left alone with a greater readiness to swap. */
  private static final long MOST_SWAPPINESS = 10;

  private static final int KIBIBYTE_SHIFT = 10;
  private static final int MEBIBYTE_SHIFT = 20;

  private final Path root;

  /** Creates a view of the system. */
  public SystemSettings() {
    this(Path.of("/"));
  }

  /** Creates a view of files below another folder than the root. */
  SystemSettings(Path root) {
    this.root = root;
  }

  /**
   * Returns the findings about memory and disk.
   *
   * @param data the folder of the data
   * @param usedBytes the size of the data file
   * @param readsAhead true if the system reads ahead for the data (store.readAhead)
   */
  public List<Finding> memory(Path data, long usedBytes, boolean readsAhead) {
    List<Finding> findings = new ArrayList<>();
    swap(findings);
    readAhead(data, usedBytes, readsAhead, findings);
    largePages(findings);
    return findings;
  }

  private void swap(List<Finding> findings) {
    long total = field(MEMORY_STATE, "SwapTotal:").orElse(0);
    long swapped = field("proc/self/status", "VmSwap:").orElse(0);
    long swappiness = number(SWAPPINESS).orElse(0);
    if (swapped > 0) {
      findings.add(
          new Finding(
              Weight.WARNING,
              SYSTEM,
              (swapped >> KIBIBYTE_SHIFT)
                  + " MiB of this process are swapped out: requests wait for the disk where"
                  + " nobody expects it",
              "sysctl vm.swappiness=1"));
    } else if (total > 0 && swappiness > MOST_SWAPPINESS) {
      findings.add(
          new Finding(
              Weight.ADVICE,
              SYSTEM,
              "the machine has swap, and vm.swappiness is "
                  + swappiness
                  + ": the kernel may swap out the heap to cache more of files",
              "sysctl vm.swappiness=1"));
    }
  }

  private void readAhead(Path data, long usedBytes, boolean readsAhead, List<Finding> findings) {
    OptionalLong memory = memoryBytes();
    if (!readsAhead || memory.isEmpty() || usedBytes <= memory.getAsLong()) {
      return;
    }
    String device =
        readAheadKibibytes(data).map(each -> ", " + each + " KiB around each page").orElse("");
    findings.add(
        new Finding(
            Weight.ADVICE,
            SYSTEM,
            "the data file of "
                + (usedBytes >> MEBIBYTE_SHIFT)
                + " MiB is larger than the memory of "
                + (memory.getAsLong() >> MEBIBYTE_SHIFT)
                + " MiB, and the system reads ahead for it"
                + device
                + ": set store.readAhead = false",
            "nyala config show"));
  }

  /** Returns the memory of the machine, or of the control group if that is less. */
  private OptionalLong memoryBytes() {
    OptionalLong kibibytes = field(MEMORY_STATE, "MemTotal:");
    if (kibibytes.isEmpty()) {
      return kibibytes;
    }
    long bytes = kibibytes.getAsLong() << KIBIBYTE_SHIFT;
    return OptionalLong.of(Math.min(bytes, number("sys/fs/cgroup/memory.max").orElse(bytes)));
  }

  /** Returns what the block device of a folder reads ahead; nothing if it has none. */
  Optional<Long> readAheadKibibytes(Path folder) {
    try {
      long device = (long) Files.getAttribute(folder, "unix:dev");
      // The numbers of a device in 64 bits, as makedev(3) of Linux puts them together.
      long major = device >>> 8 & 0xfff | device >>> 32 & 0xffff_f000L;
      long minor = device & 0xff | device >>> 12 & 0xffff_ff00L;
      Path block = root.resolve("sys/dev/block/" + major + ':' + minor);
      for (Path each : List.of(block, block.resolve(".."))) {
        // A partition has the queue of its disk.
        OptionalLong found = number(each.resolve("queue/read_ahead_kb"));
        if (found.isPresent()) {
          return Optional.of(found.getAsLong());
        }
      }
      return Optional.empty();
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  private void largePages(List<Finding> findings) {
    String enabled = chosen(LARGE_PAGES + "enabled");
    if (enabled.equals("never")) {
      findings.add(
          new Finding(
              Weight.ADVICE,
              SYSTEM,
              "transparent huge pages are off: the heap cannot use pages of 2 MiB",
              "echo madvise > /" + LARGE_PAGES + "enabled"));
    }
    if (!enabled.equals("never") && chosen(LARGE_PAGES + "defrag").equals("always")) {
      findings.add(
          new Finding(
              Weight.ADVICE,
              SYSTEM,
              "every process that touches new memory may wait until the kernel has made a huge page"
                  + " (transparent_hugepage/defrag is always)",
              "echo madvise > /" + LARGE_PAGES + "defrag"));
    }
  }

  /** Returns the finding about a clock that nothing synchronizes; nothing if all is well. */
  public Optional<Finding> clock() {
    Optional<Boolean> isSynchronized = KernelClock.isSynchronized();
    return isSynchronized.isEmpty() || isSynchronized.get()
        ? Optional.empty()
        : Optional.of(
            new Finding(
                Weight.ADVICE,
                CLOCK,
                "the kernel says that nothing synchronizes its clock; numbers of changes, locks and"
                    + " expiry of passwords depend on it",
                "timedatectl status"));
  }

  /** Returns the word in brackets; empty if there is none. */
  private String chosen(String file) {
    String text = text(root.resolve(file));
    if (text == null || text.indexOf('[') < 0) {
      return "";
    }
    int end = text.indexOf(']');
    return end < 0 ? "" : text.substring(text.indexOf('[') + 1, end);
  }

  private OptionalLong number(String file) {
    return number(root.resolve(file));
  }

  private static OptionalLong number(Path file) {
    String text = text(file);
    return text == null ? OptionalLong.empty() : parse(text.strip());
  }

  /** Returns the number of a line that begins with a name. */
  private OptionalLong field(String file, String name) {
    String text = text(root.resolve(file));
    if (text != null) {
      for (String line : text.lines().toList()) {
        if (line.startsWith(name)) {
          String[] words = line.substring(name.length()).strip().split(" ", 2);
          return parse(words[0]);
        }
      }
    }
    return OptionalLong.empty();
  }

  private static OptionalLong parse(String digits) {
    try {
      return OptionalLong.of(Long.parseLong(digits));
    } catch (NumberFormatException _) {
      return OptionalLong.empty();
    }
  }

  private static @Nullable String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException | SecurityException _) {
      return null;
    }
  }
}
