package org.nyala.core.dispatch;

import org.jspecify.annotations.Nullable;
import org.nyala.core.contention.WaitSite;

/**
 * A task in a queue and the moment of its arrival there, while waiting times are measured. It is a
 * task itself only so that it fits into the queue: the consumer unpacks it.
 *
 * <p>Immutable.
 */
record QueuedTask(Task task, long sinceNanos) implements Task {
  /**
   * Returns the object to put into the queue for {@code task}: the task itself unless a measurement
   * runs.
   */
  static Task arriving(Task task, WaitSite site) {
    return site.isMeasured() ? new QueuedTask(task, site.nanoTime()) : task;
  }

  /** The task that was taken out of the queue as {@code queued}. */
  static Task leaving(Task queued, WaitSite site) {
    if (queued instanceof QueuedTask(Task task, long sinceNanos)) {
      site.waited(sinceNanos);
      return task;
    }
    return queued;
  }

  @Override
  public Outcome run(SliceBudget budget) {
    return task.run(budget);
  }

  @Override
  public Lane lane() {
    return task.lane();
  }

  @Override
  public int costClass() {
    return task.costClass();
  }

  @Override
  public int connectionNumber() {
    return task.connectionNumber();
  }

  @Override
  public Object owner() {
    return task.owner();
  }

  @Override
  public @Nullable ConnectionLoopHistory loopHistory() {
    return task.loopHistory();
  }

  @Override
  public boolean isPipelined() {
    return task.isPipelined();
  }

  @Override
  public boolean isDue() {
    return task.isDue();
  }

  @Override
  public boolean standsFor(Task other) {
    return task.standsFor(other);
  }

  @Override
  public void admitted() {
    task.admitted();
  }

  @Override
  public void continueOnLoop(Runnable continuation) {
    task.continueOnLoop(continuation);
  }
}
