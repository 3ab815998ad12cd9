package org.nyala.loadtest.result;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The use of resources by a process, from {@code /proc} (proc(5)); unknown on systems other than
 * Linux. Immutable.
 */
public final class ProcessUse {
  private static final long BYTES_PER_KIB = 1024;

  private final long pid;
  private final ProcessCpu cpu;

  /** Looks at a process; 0 for none. */
  public ProcessUse(long pid) {
    this.pid = pid;
    this.cpu = new ProcessCpu(pid);
  }

  /** CPU time used so far, in nanoseconds; -1 if it cannot be known. */
  public long cpuNanos() {
    return cpu.nanos();
  }

  /** Memory resident now, in bytes; -1 if it cannot be known. */
  public long rssBytes() {
    try {
      long kibibytes = field(Files.readAllLines(process().resolve("status")), "VmRSS:");
      return kibibytes < 0 ? ResourceUse.UNKNOWN : kibibytes * BYTES_PER_KIB;
    } catch (IOException e) {
      return ResourceUse.UNKNOWN;
    }
  }

  /** All figures; reads a file of every thread, and is not for frequent use. */
  public ResourceUse now() {
    if (pid == 0) {
      return ResourceUse.NONE;
    }
    long voluntary = 0;
    long involuntary = 0;
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(process().resolve("task"))) {
      for (Path task : tasks) {
        List<String> status = status(task);
        voluntary += Math.max(0, field(status, "voluntary_ctxt_switches:"));
        involuntary += Math.max(0, field(status, "nonvoluntary_ctxt_switches:"));
      }
    } catch (IOException e) {
      voluntary = ResourceUse.UNKNOWN;
      involuntary = ResourceUse.UNKNOWN;
    }
    return new ResourceUse(cpuNanos(), rssBytes(), voluntary, involuntary);
  }

  /** A thread may end while others are read. */
  private static List<String> status(Path task) {
    try {
      return Files.readAllLines(task.resolve("status"));
    } catch (IOException e) {
      return List.of();
    }
  }

  private Path process() {
    return Path.of("/proc/" + pid);
  }

  /** The number behind a label at the beginning of a line; -1 if there is none. */
  static long field(List<String> lines, String label) {
    for (String line : lines) {
      if (line.startsWith(label)) {
        String rest = line.substring(label.length()).strip();
        int end = rest.indexOf(' ');
        return Long.parseLong(end < 0 ? rest : rest.substring(0, end));
      }
    }
    return ResourceUse.UNKNOWN;
  }
}
