package org.nyala.core.dispatch;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import org.nyala.core.contention.Threads;

/**
 * A virtual thread for each task, on carriers that the JVM keeps: one per processor.
 *
 * <p>A task still runs in slices, and releases the carrier in between: virtual threads are not
 * preempted. Between two slices a task holds no snapshot, so that no more readers of the store are
 * needed than there are carriers, and a few for slices that block.
 *
 * <p>Thread-safe.
 */
final class VirtualThreads extends WorkQueue {
  private final ThreadFactory threads = Thread.ofVirtual().factory();
  private final SliceLocals locals = new SliceLocals();

  VirtualThreads(WorkQueueSites sites, Throttle throttle, Route route) {
    super(sites, throttle, Runtime.getRuntime().availableProcessors(), route);
  }

  @Override
  void offer(Task task) {
    Task queued = QueuedTask.arriving(task, queueSite);
    threads.newThread(() -> run(queued)).start();
  }

  private void run(Task queued) {
    Task task = QueuedTask.leaving(queued, queueSite);
    while (locals.callWithin(() -> goesOn(task))) {
      // Thread.yield() would not do: a carrier that has yielded threads of its own does not look
      // for new ones, and a few long tasks would starve all others. A woken thread queues behind
      // them.
      LockSupport.parkNanos(this, 1);
    }
  }

  /** There are no threads but those of tasks, which end by themselves. */
  @Override
  void endThreads() {
    Threads.awaitThat(() -> inFlight() == 0);
  }
}
