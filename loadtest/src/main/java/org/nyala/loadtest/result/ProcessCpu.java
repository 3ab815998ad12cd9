package org.nyala.loadtest.result;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The CPU time that a process has used, from {@code /proc/PID/stat} (proc(5)). Immutable. */
public final class ProcessCpu {
  /** The length of a clock tick in user space on Linux: USER_HZ is 100 on every architecture. */
  private static final long NANOS_PER_TICK = 10_000_000L;

  private static final int UTIME_AFTER_NAME = 11;

  /** CPU time in user and in kernel mode, in nanoseconds. Immutable. */
  public record Split(long userNanos, long kernelNanos) {}

  private final Path stat;

  /** Looks at a process; 0 for none. */
  public ProcessCpu(long pid) {
    this.stat = Path.of("/proc/" + (pid == 0 ? "none" : Long.toString(pid)) + "/stat");
  }

  /** CPU time used so far in user and system mode, in nanoseconds; -1 if it cannot be known. */
  public long nanos() {
    try {
      return parse(Files.readString(stat));
    } catch (IOException e) {
      return -1;
    }
  }

  /** CPU time used so far, by mode; both -1 if they cannot be known. */
  public Split split() {
    try {
      String[] fields = fields(Files.readString(stat));
      return new Split(
          Long.parseLong(fields[UTIME_AFTER_NAME]) * NANOS_PER_TICK,
          Long.parseLong(fields[UTIME_AFTER_NAME + 1]) * NANOS_PER_TICK);
    } catch (IOException e) {
      return new Split(-1, -1);
    }
  }

  /** Reads utime and stime from behind the process's name, which may contain anything. */
  public static long parse(String statLine) {
    String[] fields = fields(statLine);
    long ticks =
        Long.parseLong(fields[UTIME_AFTER_NAME]) + Long.parseLong(fields[UTIME_AFTER_NAME + 1]);
    return ticks * NANOS_PER_TICK;
  }

  private static String[] fields(String statLine) {
    return statLine.substring(statLine.lastIndexOf(')') + 2).split(" ", -1);
  }
}
