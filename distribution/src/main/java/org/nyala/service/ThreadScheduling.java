package org.nyala.service;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.ThreadFactory;
import org.nyala.config.SchedulingBounds;

/**
 * Gives threads less of the processors than others have. Linux keeps a nice value and a scheduling
 * policy for each thread, which the JVM gives no access to (setpriority(2), sched(7)). If a request
 * fails, the thread runs without it, and that is logged.
 *
 * <p>Stateless.
 */
public final class ThreadScheduling {
  private static final System.Logger LOG = System.getLogger(ThreadScheduling.class.getName());
  private static final int PRIO_PROCESS = 0;
  private static final int SCHED_BATCH = 3;

  /** The id that Linux takes for the calling thread. */
  private static final int THIS_THREAD = 0;

  private ThreadScheduling() {}

  /** A request to the system on behalf of the calling thread. */
  private interface Request {
    /** Returns 0 if the request is granted. */
    int call(Linker linker) throws Throwable;
  }

  /**
   * Returns a factory whose threads begin with a nice value: they have less of a processor that
   * others want as well.
   *
   * @param niceness 0 to {@link SchedulingBounds#GREATEST_NICENESS}; 0 leaves threads as they are
   */
  public static ThreadFactory nice(int niceness, ThreadFactory threads) {
    return niceness == 0
        ? threads
        : beginningWith("niceness", linker -> setPriority(linker, niceness), threads);
  }

  /**
   * Returns a factory whose threads have as much of a processor as others, but wait until the
   * thread that runs there pauses or ends its time slice: their wake-up does not preempt an event
   * loop in the middle of a search.
   */
  public static ThreadFactory batch(ThreadFactory threads) {
    return beginningWith("batch scheduling", ThreadScheduling::setBatchPolicy, threads);
  }

  private static ThreadFactory beginningWith(String what, Request request, ThreadFactory threads) {
    return task ->
        threads.newThread(
            () -> {
              apply(what, request);
              task.run();
            });
  }

  private static void apply(String what, Request request) {
    try {
      if (!"Linux".equals(System.getProperty("os.name"))) {
        throw new IllegalStateException("only Linux supports this for threads");
      }
      if (request.call(Linker.nativeLinker()) != 0) {
        throw new IllegalStateException("the system refuses it");
      }
    } catch (Throwable e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} runs without its {1}: {2}",
          Thread.currentThread().getName(),
          what,
          e.getMessage());
    }
  }

  private static int setPriority(Linker linker, int niceness) throws Throwable {
    MethodHandle setPriority = function(linker, "setpriority", ValueLayout.JAVA_INT);
    return (int) setPriority.invokeExact(PRIO_PROCESS, THIS_THREAD, niceness);
  }

  private static int setBatchPolicy(Linker linker) throws Throwable {
    MethodHandle setScheduler = function(linker, "sched_setscheduler", ValueLayout.ADDRESS);
    try (Arena arena = Arena.ofConfined()) {
      // struct sched_param: the priority, which is 0 for this policy.
      MemorySegment parameter = arena.allocate(ValueLayout.JAVA_INT);
      return (int) setScheduler.invokeExact(THIS_THREAD, SCHED_BATCH, parameter);
    }
  }

  /**
   * Returns a function of the C library that takes two ints and a third argument, and returns an
   * int.
   */
  // Native access is granted when the program is started, by the manifest.
  @SuppressWarnings("restricted")
  private static MethodHandle function(Linker linker, String name, ValueLayout last) {
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow(name),
        FunctionDescriptor.of(
            ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, last));
  }
}
