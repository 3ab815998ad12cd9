package org.nyala.core.operation;

import java.util.ArrayList;
import java.util.List;
import org.nyala.core.dispatch.DispatchStrategy;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task;

/** Keeps every task until a test says which is to run. Thread-safe. */
final class HeldDispatch implements DispatchStrategy {
  private final List<Task> held = new ArrayList<>();

  /** How many wait to be run. */
  synchronized int size() {
    return held.size();
  }

  /** Runs the slice of one of those that wait, in the order in which they came. */
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
    // What is held is never run.
  }
}
