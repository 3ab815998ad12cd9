package org.nyala.core.operation;

import java.util.ArrayList;
import java.util.List;
import org.nyala.core.dispatch.DispatchStrategy;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task;

/** Keeps every task until a test selects one to run. Thread-safe. */
final class HeldDispatch implements DispatchStrategy {
  private final List<Task> held = new ArrayList<>();

  /** Returns the number of waiting tasks. */
  synchronized int size() {
    return held.size();
  }

  /** Runs the slice of one of the waiting tasks, numbered in their order. */
  void run(int index) {
    Task task;
    synchronized (this) {
      task = held.remove(index);
    }
    if (task.run(new SliceBudget(1000, Long.MAX_VALUE / 4)) == Task.Outcome.YIELDED) {
      resume(task);
    }
  }

  @Override
  public String name() {
    return "held";
  }

  @Override
  public DecodePlacement decodePlacement() {
    return DecodePlacement.EVENT_LOOP;
  }

  @Override
  public boolean dispatch(Task task) {
    resume(task);
    return true;
  }

  @Override
  public synchronized void resume(Task task) {
    held.add(task);
  }

  @Override
  public int inFlight() {
    return size();
  }

  @Override
  public void close() {
    // Waiting tasks are never run.
  }
}
