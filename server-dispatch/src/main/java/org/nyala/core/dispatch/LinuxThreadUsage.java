package org.nyala.core.dispatch;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The counters of Linux: {@code ru_majflt} of getrusage(2), and the thread's clock of
 * clock_gettime(2). The JVM neither notices page faults nor counts them. A call takes less than a
 * microsecond.
 *
 * <p>Thread-safe.
 */
final class LinuxThreadUsage implements ThreadUsage {
  private static final System.Logger LOG = System.getLogger(LinuxThreadUsage.class.getName());

  /** The id of the calling thread, for getrusage. */
  private static final int RUSAGE_THREAD = 1;

  /** The id of the clock of the calling thread, for clock_gettime. */
  private static final int CLOCK_THREAD_CPUTIME_ID = 3;

  /** The fields of struct rusage with 64 bits, which are all longs. */
  private static final int RUSAGE_FIELDS = 18;

  /** The index of {@code ru_majflt}: after two times of two fields, four sizes and minor faults. */
  private static final int MAJOR_FAULTS = 9;

  private static final int TIMESPEC_FIELDS = 2;
  private static final Path ONLY_ON_LINUX = Path.of("/proc/thread-self");
  private static final long NANOS_PER_SECOND = 1_000_000_000;

  private final MethodHandle getrusage;
  private final MethodHandle clockGettime;

  private static final class Structs {
    private final long[] usage = new long[RUSAGE_FIELDS];
    private final long[] time = new long[TIMESPEC_FIELDS];
    private final MemorySegment usageSegment = MemorySegment.ofArray(usage);
    private final MemorySegment timeSegment = MemorySegment.ofArray(time);
  }

  private final ThreadLocal<Structs> structs = ThreadLocal.withInitial(Structs::new);

  private LinuxThreadUsage(Linker linker) {
    getrusage = function(linker, "getrusage");
    clockGettime = function(linker, "clock_gettime");
  }

  /** Returns the counters of this system; those that count nothing if it is not Linux. */
  static ThreadUsage ofThisSystem() {
    if (!Files.exists(ONLY_ON_LINUX) || ValueLayout.ADDRESS.byteSize() != Long.BYTES) {
      return NONE;
    }
    try {
      return new LinuxThreadUsage(Linker.nativeLinker());
    } catch (RuntimeException | LinkageError e) {
      LOG.log(System.Logger.Level.WARNING, "page faults are not counted: {0}", e.getMessage());
      return NONE;
    }
  }

  /** Returns a function of the C library that takes a number and a struct, and returns an int. */
  // Native access is granted when the program is started, by the manifest.
  @SuppressWarnings("restricted")
  private static MethodHandle function(Linker linker, String name) {
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow(name),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS),
        // They do not block, and take arrays where they are.
        Linker.Option.critical(true));
  }

  @Override
  public long majorFaults() {
    Structs own = structs.get();
    return call(getrusage, RUSAGE_THREAD, own.usageSegment) ? own.usage[MAJOR_FAULTS] : 0;
  }

  @Override
  public long processorNanos() {
    Structs own = structs.get();
    return call(clockGettime, CLOCK_THREAD_CPUTIME_ID, own.timeSegment)
        ? own.time[0] * NANOS_PER_SECOND + own.time[1]
        : 0;
  }

  /**
   * Returns whether a call succeeded. It throws nothing: a thread of the server would end by it.
   */
  private static boolean call(MethodHandle function, int id, MemorySegment struct) {
    try {
      return (int) function.invokeExact(id, struct) == 0;
    } catch (Throwable _) {
      return false;
    }
  }
}
