package org.nyala.core.dispatch;

import java.util.concurrent.RejectedExecutionException;
import org.nyala.core.dispatch.Task.Outcome;

/** The single way in which strategies run slices: an exception from a task ends only that task. */
final class Slices {
  /**
   * The budget off the event loop. Long enough that re-opening a cursor is not noticeable, short
   * enough that a task queued behind several long ones still starts within milliseconds; the steps
   * only bound the work between two readings of the clock.
   */
  static final SliceBudget WORKER = new SliceBudget(65_536, 1_000_000);

  /**
   * The budget on the event loop, where all connections of the loop wait meanwhile, for strategies
   * without other threads.
   */
  static final SliceBudget LOOP = new SliceBudget(16_384, 1_000_000);

  private static final System.Logger LOG = System.getLogger(Slices.class.getName());

  private Slices() {}

  static Outcome run(Task task, SliceBudget budget) {
    try {
      return task.run(budget);
    } catch (Throwable e) {
      // Tasks promise to throw nothing. One that does must not take its thread and its permit with
      // it.
      LOG.log(System.Logger.Level.ERROR, "a task failed outside its operation", e);
      return Outcome.DONE;
    }
  }

  /** Notifies a task that it has its permit. */
  static void admitted(Task task) {
    try {
      task.admitted();
    } catch (RejectedExecutionException e) {
      // Its event loop has ended and with it the connection; the task still runs, in order to end.
    } catch (Throwable e) {
      LOG.log(System.Logger.Level.ERROR, "a task could not be notified of its permit", e);
    }
  }

  /** Runs slices until the task has ended or awaits its client. */
  static void runToEnd(Task task) {
    Outcome outcome;
    do {
      outcome = run(task, WORKER);
    } while (outcome == Outcome.YIELDED);
  }
}
