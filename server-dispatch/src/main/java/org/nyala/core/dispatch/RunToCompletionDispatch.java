package org.nyala.core.dispatch;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.nyala.core.contention.Threads;
import org.nyala.core.dispatch.Task.Outcome;

/**
 * Runs every task, of any kind, on the event loop of its connection. A long task goes round the
 * loop once per slice, so that the loop's other connections are served in between.
 *
 * <p>Thread-safe.
 */
final class RunToCompletionDispatch implements DispatchStrategy {
  static final String NAME = "run-to-completion";

  private final AtomicInteger queued = new AtomicInteger();

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public DecodePlacement decodePlacement() {
    return DecodePlacement.EVENT_LOOP;
  }

  @Override
  public boolean dispatch(Task task) {
    runSlice(task);
    return true;
  }

  @Override
  public void resume(Task task) {
    queued.incrementAndGet();
    try {
      task.continueOnLoop(() -> goOn(task));
    } catch (RejectedExecutionException e) {
      // The loop has ended, and with it the connection: no client can be kept waiting.
      Slices.runToEnd(task);
      queued.decrementAndGet();
    }
  }

  private void goOn(Task task) {
    runSlice(task);
    queued.decrementAndGet();
  }

  private void runSlice(Task task) {
    if (Slices.run(task, Slices.LOOP) == Outcome.YIELDED) {
      resume(task);
    }
  }

  @Override
  public int inFlight() {
    return queued.get();
  }

  /** Has no threads to stop: later tasks run as before. */
  @Override
  public void close() {
    Threads.awaitThat(() -> queued.get() == 0);
  }
}
