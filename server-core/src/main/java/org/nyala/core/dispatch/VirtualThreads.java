package org.nyala.core.dispatch;

import java.util.concurrent.ThreadFactory;

/**
 * A virtual thread for each task, on carriers that the JVM keeps: one per processor.
 *
 * <p>A task still runs in slices, and lets others have the carrier in between: virtual threads are
 * not preempted. Between two slices a task holds no snapshot, so that no more readers of the store
 * are needed than there are carriers, and a few for slices that block.
 *
 * <p>Thread-safe.
 */
final class VirtualThreads extends Place {
  private final ThreadFactory threads = Thread.ofVirtual().factory();
  private final SliceLocals locals = new SliceLocals();

  VirtualThreads(int permits, int laziness, Route route) {
    super(permits, laziness, Runtime.getRuntime().availableProcessors(), route);
  }

  @Override
  void offer(Task task) {
    threads.newThread(() -> run(task)).start();
  }

  private void run(Task task) {
    while (locals.callWithin(() -> goesOn(task))) {
      Thread.yield();
    }
  }

  /** Has no threads but those that run tasks, which end by themselves. */
  @Override
  void stop() {
    Threads.awaitThat(() -> inFlight() == 0);
  }
}
