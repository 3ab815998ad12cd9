package org.nyala.cli;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.ThreadFactory;

/**
 * Makes threads that step back for others where processors are scarce: Linux keeps a nice value for
 * each thread, which the JVM gives no access to (setpriority(2)).
 *
 * <p>Stateless.
 */
final class ThreadNiceness {
  static final int MAXIMUM = 19;

  /**
   * Weighs a third of an event loop where both want the same processor: a hash takes a hundred
   * times as long as a search in any case.
   */
  static final int DEFAULT_OF_HASHES = 5;

  private static final System.Logger LOG = System.getLogger(ThreadNiceness.class.getName());
  private static final int PRIO_PROCESS = 0;

  /** Linux takes 0 for the thread that calls. */
  private static final int THIS_THREAD = 0;

  private ThreadNiceness() {}

  /**
   * A factory whose threads begin with a nice value. Where they cannot have it they run without,
   * and the log says so.
   *
   * @param niceness 0 to {@link #MAXIMUM}; 0 leaves threads as they are
   */
  static ThreadFactory of(int niceness, ThreadFactory threads) {
    if (niceness == 0) {
      return threads;
    }
    return task ->
        threads.newThread(
            () -> {
              apply(niceness);
              task.run();
            });
  }

  private static void apply(int niceness) {
    try {
      if (!"Linux".equals(System.getProperty("os.name"))) {
        throw new IllegalStateException("only Linux knows a niceness of threads");
      }
      int failed = (int) setPriority().invokeExact(PRIO_PROCESS, THIS_THREAD, niceness);
      if (failed != 0) {
        throw new IllegalStateException("setpriority is refused");
      }
    } catch (Throwable e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} runs without its niceness: {1}",
          Thread.currentThread().getName(),
          e.getMessage());
    }
  }

  // Native access is what the program is started with: the manifest grants it.
  @SuppressWarnings("restricted")
  private static MethodHandle setPriority() {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow("setpriority"),
        FunctionDescriptor.of(
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT));
  }
}
