package org.nyala.loadtest.result;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The time that the processors of this machine have spent since it started, from {@code /proc/stat}
 * (proc(5)). Immutable.
 *
 * @param total clock ticks of all processors
 * @param idle those of them in which a processor had nothing to do, or waited for a disk
 * @param stolen those of them in which the host of a virtual machine ran something else although
 *     this machine had work
 */
public record MachineTime(long total, long idle, long stolen) {
  private static final Path STAT = Path.of("/proc/stat");

  /** Counted from behind the name: user, nice, system, idle, iowait, irq, softirq, steal. */
  private static final int IDLE = 4;

  private static final int WAITING = 5;
  private static final int STEAL = 8;

  /** Reads the time up to now; all 0 if the system does not report it. */
  public static MachineTime now() {
    try {
      return parse(Files.readString(STAT));
    } catch (IOException e) {
      return new MachineTime(0, 0, 0);
    }
  }

  /** Reads the first line, which adds up all processors. */
  static MachineTime parse(String stat) {
    String[] fields = stat.lines().findFirst().orElse("cpu").split(" +", -1);
    long total = 0;
    long idle = 0;
    for (int field = 1; field <= STEAL && field < fields.length; field++) {
      long ticks = Long.parseLong(fields[field]);
      total += ticks;
      idle += field == IDLE || field == WAITING ? ticks : 0;
    }
    return new MachineTime(total, idle, fields.length > STEAL ? Long.parseLong(fields[STEAL]) : 0);
  }

  /** The part of the time since then that was stolen, 0 to 1. */
  public double stolenSince(MachineTime before) {
    long ticks = total - before.total;
    return ticks <= 0 ? 0 : (stolen - before.stolen) / (double) ticks;
  }

  /**
   * The part of the time since then in which processors worked for programs of this machine, 0 to
   * 1; NaN if the system does not report it.
   */
  public double busySince(MachineTime before) {
    long ticks = total - before.total;
    long free = idle - before.idle + stolen - before.stolen;
    return ticks <= 0 ? Double.NaN : Math.clamp(1 - free / (double) ticks, 0, 1);
  }
}
