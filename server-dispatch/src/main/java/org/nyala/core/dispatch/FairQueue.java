package org.nyala.core.dispatch;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A queue of tasks that wait for a thread while some work takes more than one slice: each owner of
 * tasks has its turn after every other's, whether it has one task or a thousand.
 *
 * <p>A turn is about a slice's worth of thread: one slice of a task that has yielded, or up to so
 * many tasks that have just arrived, until one of those yields. An owner with both kinds has turns
 * of either kind by turns, so that short tasks do not wait for long ones, and long ones do not
 * starve. Tasks that are due to end overtake: the queue looks for them about once a millisecond,
 * and has them run for as long before each turn of the others.
 *
 * <p>Not thread-safe: confined to the thread or guarded by the lock of the place that has it. Every
 * step but the search for due tasks takes constant time; owners without tasks leave no trace.
 */
final class FairQueue {
  /**
   * The number of tasks that may overtake those of others, and yielded ones of their own owner, in
   * a row.
   */
  private static final int BURST = 64;

  /** Emptied lines that are kept to be used again. */
  private static final int SPARES = 64;

  /** The time from one look for tasks that are due to the next: about a slice. */
  private static final long DUE_NANOS = 1_000_000;

  /** The same for each queued task besides, which takes a hundredth of that to look at. */
  private static final long DUE_NANOS_PER_TASK = 2_000;

  /** The time for which tasks that are due run in a row: many, because most only answer. */
  private static final long DUE_TURN_NANOS = 1_000_000;

  private final int longestBurst;
  private final LongSupplier nanoClock;
  private long lookNanos;
  private long dueTurnNanos;
  private boolean isDueTurn;
  private final ArrayDeque<Task> due = new ArrayDeque<>(4);
  private final HashMap<Object, Line> lines = new HashMap<>();
  private final ArrayDeque<Line> turns = new ArrayDeque<>();
  private final ArrayDeque<Line> spares = new ArrayDeque<>();
  private final Predicate<Task> setAside = this::setAsideIfDue;
  private final Predicate<Line> forget = this::forgetIfEmpty;

  /** Creates a queue for tasks most of which end in a slice of microseconds. */
  FairQueue() {
    this(BURST, System::nanoTime);
  }

  /**
   * Creates an empty queue.
   *
   * @param longestBurst tasks of an owner that have just arrived and have their slices in a row, at
   *     least 1; they are short if that is more
   * @param nanoClock the clock for the search for due tasks
   */
  FairQueue(int longestBurst, LongSupplier nanoClock) {
    this.longestBurst = longestBurst;
    this.nanoClock = nanoClock;
    this.lookNanos = nanoClock.getAsLong() + DUE_NANOS;
  }

  /** Returns whether nothing is queued. */
  boolean isEmpty() {
    return turns.isEmpty() && due.isEmpty();
  }

  /** Queues a task that is yet to have its first slice here. */
  void addArrived(Task task) {
    line(task.owner()).arrived.addLast(task);
  }

  /** Queues a task that has used up a slice. */
  void addYielded(Task task) {
    Line line = line(task.owner());
    line.yielded.addLast(task);
    // The task that arrived was not short, and the turn is over.
    if (line.burst > 0) {
      line.endBurst();
      if (line == turns.peekFirst()) {
        turns.addLast(turns.removeFirst());
      }
    }
  }

  /** Takes out what stands for a task; null if it is not queued. Takes longer the more are. */
  @Nullable Task remove(Task task) {
    Task found = remove(due, task);
    for (Iterator<Line> each = turns.iterator(); found == null && each.hasNext(); ) {
      Line line = each.next();
      found = line.remove(task);
      if (line.isEmpty()) {
        each.remove();
        lines.remove(line.owner);
        keep(line);
      }
    }
    return found;
  }

  /** Takes what stands for a task out of a part of a queue; null if it is not there. */
  static @Nullable Task remove(ArrayDeque<Task> part, Task task) {
    for (Iterator<Task> each = part.iterator(); each.hasNext(); ) {
      Task queued = each.next();
      if (queued.standsFor(task)) {
        each.remove();
        return queued;
      }
    }
    return null;
  }

  /** The next task to have a slice; null if there is none. */
  @Nullable Task poll() {
    long nowNanos = turns.isEmpty() ? lookNanos - 1 : nanoClock.getAsLong();
    if (nowNanos - lookNanos >= 0) {
      lookForDue(nowNanos);
    }
    isDueTurn = isDueTurn(nowNanos);
    Line line = isDueTurn ? null : turns.pollFirst();
    if (line == null) {
      return due.pollFirst();
    }
    Task task = line.next(longestBurst);
    if (line.isEmpty()) {
      lines.remove(line.owner);
      keep(line);
    } else if (line.burst > 0) {
      turns.addFirst(line);
    } else {
      turns.addLast(line);
    }
    return task;
  }

  /** Returns whether a task that is due comes next. */
  private boolean isDueTurn(long nowNanos) {
    if (due.isEmpty() || turns.isEmpty()) {
      return false;
    }
    if (!isDueTurn) {
      dueTurnNanos = nowNanos;
    }
    return nowNanos - dueTurnNanos < DUE_TURN_NANOS;
  }

  /** Sets aside the tasks that are due. */
  private void lookForDue(long nowNanos) {
    int tasks = 0;
    for (Line line : turns) {
      tasks += line.size();
      line.arrived.removeIf(setAside);
      line.yielded.removeIf(setAside);
    }
    turns.removeIf(forget);
    lookNanos = nowNanos + DUE_NANOS + tasks * DUE_NANOS_PER_TASK;
  }

  private boolean setAsideIfDue(Task task) {
    return task.isDue() && due.add(task);
  }

  private boolean forgetIfEmpty(Line line) {
    if (!line.isEmpty()) {
      return false;
    }
    lines.remove(line.owner);
    keep(line);
    return true;
  }

  private Line line(Object owner) {
    Line known = lines.get(owner);
    if (known != null) {
      return known;
    }
    Line spare = spares.pollFirst();
    Line line = spare != null ? spare : new Line();
    line.owner = owner;
    lines.put(owner, line);
    turns.addLast(line);
    return line;
  }

  private void keep(Line line) {
    line.owner = this;
    line.endBurst();
    line.yieldedNext = false;
    if (spares.size() < SPARES) {
      spares.addFirst(line);
    }
  }

  /** The tasks of one owner. */
  private static final class Line {
    final ArrayDeque<Task> arrived = new ArrayDeque<>(4);
    final ArrayDeque<Task> yielded = new ArrayDeque<>(4);
    Object owner = this;

    /** Arrived tasks that this turn has had, and may have more. */
    int burst;

    /** True if the next turn belongs to tasks that yielded. */
    boolean yieldedNext;

    boolean isEmpty() {
      return arrived.isEmpty() && yielded.isEmpty();
    }

    int size() {
      return arrived.size() + yielded.size();
    }

    @Nullable Task remove(Task task) {
      Task found = FairQueue.remove(arrived, task);
      return found != null ? found : FairQueue.remove(yielded, task);
    }

    void endBurst() {
      burst = 0;
      yieldedNext = true;
    }

    /** Takes a task; the turn goes on while {@link #burst} is not 0. */
    @Nullable Task next(int longestBurst) {
      if (arrived.isEmpty() || yieldedNext && !yielded.isEmpty()) {
        burst = 0;
        yieldedNext = false;
        return yielded.pollFirst();
      }
      if (++burst == longestBurst) {
        endBurst();
      }
      return arrived.pollFirst();
    }
  }
}
