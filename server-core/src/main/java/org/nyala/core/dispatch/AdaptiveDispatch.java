package org.nyala.core.dispatch;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.nyala.core.dispatch.Task.Lane;
import org.nyala.core.dispatch.Task.Outcome;

/**
 * Starts every task on the event loop with a small budget, and moves to a stripe what does not end
 * within it: most operations are cheaper than a change of threads.
 *
 * <p>Operation classes whose slices prove slow on the loop, as they do where they wait for the
 * disk, go to a pool of many threads at once, for a while. Those of a connection that were too long
 * for the loop go to the stripes at once ({@link ConnectionLoopHistory}). One that is an exception
 * among short ones may go on on the loop; one that would make way for nobody ({@link LoopLoad}) may
 * start and go on there. Slow hashes go to the hash pool. A permit is needed only off the loop.
 *
 * <p>Thread-safe. Hot: a task that ends in its first slice allocates nothing and writes nothing
 * that loops share.
 */
final class AdaptiveDispatch implements DispatchStrategy {
  static final String NAME = "adaptive";

  /**
   * The way to a stripe and back takes 50 to 70 microseconds where both threads have to be woken,
   * and more in a virtual machine. 256 candidates from memory take about as long or twice as long.
   * With more, a few dozen clients who ask for them over and over keep the others of their loop
   * waiting for tens of milliseconds.
   */
  private static final int LOOP_ENTRIES = 256;

  private static final long LOOP_NANOS = 200_000;

  private static final SliceBudget LOOP = new SliceBudget(LOOP_ENTRIES, LOOP_NANOS);

  /**
   * For a long one among short ones. Twice what one of a millisecond needs, so that those that take
   * a little longer end there, too.
   */
  private static final SliceBudget EXCEPTION = new SliceBudget(Slices.LOOP.entries(), 2_000_000);

  /**
   * For what would make way for nobody. Longer than a thread is without its processor when it loses
   * it: a worker that went on with the task would take a processor from another loop, whose task
   * would be too long for that.
   */
  private static final SliceBudget UNHURRIED = new SliceBudget(Slices.WORKER.entries(), 4_000_000);

  private final LongSupplier nanoClock;
  private final LoopLoads paces;
  private final EnumMap<OperationClass, ClassDemotion> verdicts =
      new EnumMap<>(OperationClass.class);
  private final Workers workers;

  AdaptiveDispatch(DispatchSettings settings) {
    this(settings, Runtime.getRuntime().availableProcessors());
  }

  /** For a machine with so many processors. */
  AdaptiveDispatch(DispatchSettings settings, int processors) {
    this.nanoClock = settings.nanoClock();
    this.paces = new LoopLoads(processors, nanoClock);
    for (OperationClass operationClass : OperationClass.values()) {
      verdicts.put(operationClass, new ClassDemotion());
    }
    this.workers = new Workers(settings, WorkQueues::stripesAndDiskPool, new DiskApart());
  }

  /**
   * Those that wait for the disk do so together, on as many threads as the disk may be asked by: on
   * the stripes, of which there is one for each processor, they would wait one after the other, and
   * everything else behind them. What is long for another reason has as many threads as there are
   * processors.
   */
  private final class DiskApart implements Workers.Choice {
    @Override
    public WorkQueue choose(WorkQueue[] stripesAndDiskPool, Task task) {
      int stripes = stripesAndDiskPool.length - 1;
      return isAway(task)
          ? stripesAndDiskPool[stripes]
          : Workers.leastLoaded(stripesAndDiskPool, stripes, task);
    }

    @Override
    public boolean leaves(WorkQueue[] stripesAndDiskPool, WorkQueue from, Task task) {
      boolean isInDiskPool = from == stripesAndDiskPool[stripesAndDiskPool.length - 1];
      return isInDiskPool != isAway(task);
    }

    /** Asks the clock: its class is forgiven even when nothing of it comes to a loop any more. */
    private boolean isAway(Task task) {
      return !verdict(task).isLoopWorthy(nanoClock);
    }
  }

  private ClassDemotion verdict(Task task) {
    return Objects.requireNonNull(verdicts.get(task.operationClass()));
  }

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
    return task.lane() == Lane.READ && endsOnLoop(task) || workers.enter(task);
  }

  private boolean endsOnLoop(Task task) {
    OperationClass operationClass = task.operationClass();
    ClassDemotion verdict = verdict(task);
    if (!verdict.isLoopWorthy(nanoClock)) {
      return false;
    }
    ConnectionLoopHistory history = task.loopHistory();
    if (history == null) {
      return runTimed(task, verdict) != Outcome.YIELDED;
    }
    LoopLoad pace = history.pace(paces);
    if (!history.mayStart(operationClass) && makesWay(task, history, pace)) {
      return false;
    }
    // Two looks at the clock show where slices are short, so those are sampled.
    boolean isTimed = history.isTimed() || !verdict.isSettled();
    long start = isTimed ? nanoClock.getAsLong() : 0;
    Outcome outcome = Slices.run(task, LOOP);
    boolean isTooLong = isTooLong(task, outcome);
    if (isTimed || isTooLong) {
      long end = nanoClock.getAsLong();
      boolean isUnhurried = isTooLong && notedAsUnhurried(task, history, pace, end);
      // Where all are long, machines are full, and threads without a processor look like slow
      // disks.
      if (isTimed && !isUnhurried) {
        verdict.sliceTook(end - start, end);
      }
      if (isTooLong) {
        return endsLate(task, history, pace, isUnhurried);
      }
    }
    // A slow client says nothing about its operations.
    if (outcome != Outcome.AWAITING_CLIENT) {
      pace.wasShort(history);
    }
    if (isEnd(outcome)) {
      history.ended(operationClass);
    }
    return outcome != Outcome.YIELDED;
  }

  /** Whether somebody gains by it that a task is kept away whose predecessors were too long. */
  private boolean makesWay(Task task, ConnectionLoopHistory history, LoopLoad pace) {
    boolean isPipelined = task.isPipelined();
    if (!isPipelined
        && !history.isTooLongForAnyLoop()
        && pace.isUnhurried(history, nanoClock.getAsLong())) {
      return false;
    }
    pace.wasKeptAway(history, isPipelined);
    return true;
  }

  /** Notes that a task was too long; whether nobody gains by it that it makes way. */
  private static boolean notedAsUnhurried(
      Task task, ConnectionLoopHistory history, LoopLoad pace, long nowNanos) {
    pace.wasLong(history, task.isPipelined(), nowNanos);
    return pace.isUnhurried(history, nowNanos);
  }

  /** Whether a task ends on the loop all the same that was too long for the small budget. */
  private static boolean endsLate(
      Task task, ConnectionLoopHistory history, LoopLoad pace, boolean isUnhurried) {
    OperationClass operationClass = task.operationClass();
    Outcome outcome = Outcome.YIELDED;
    // Those that are pipelined would all have their turn on the loop before anybody else.
    if (!task.isPipelined()) {
      if (isUnhurried) {
        outcome = Slices.run(task, UNHURRIED);
        history.wasUnhurried(isTooLong(task, outcome));
      } else if (history.mayBeException(operationClass, pace)) {
        outcome = Slices.run(task, EXCEPTION);
      }
    }
    if (isTooLong(task, outcome)) {
      history.overran(operationClass);
      return false;
    }
    if (isEnd(outcome)) {
      history.endedLate(operationClass);
    }
    return outcome != Outcome.YIELDED;
  }

  /** It makes way; what goes on in another lane does not. */
  private static boolean isTooLong(Task task, Outcome outcome) {
    return outcome == Outcome.YIELDED && task.lane() == Lane.READ;
  }

  /**
   * Whether nothing of it is left for anybody but the client; the task may be elsewhere already.
   */
  private static boolean isEnd(Outcome outcome) {
    return outcome == Outcome.DONE || outcome == Outcome.PARKED;
  }

  private Outcome runTimed(Task task, ClassDemotion verdict) {
    long start = nanoClock.getAsLong();
    Outcome outcome = Slices.run(task, LOOP);
    long end = nanoClock.getAsLong();
    verdict.sliceTook(end - start, end);
    return outcome;
  }

  @Override
  public void resume(Task task) {
    workers.resume(task);
  }

  @Override
  public boolean withdraw(Task task) {
    return workers.withdraw(task);
  }

  @Override
  public int inFlight() {
    return workers.inFlight();
  }

  @Override
  public Map<OperationClass, Long> demotions() {
    Map<OperationClass, Long> demotions = new EnumMap<>(OperationClass.class);
    verdicts.forEach(
        (operationClass, verdict) -> demotions.put(operationClass, verdict.demotions()));
    return demotions;
  }

  @Override
  public void close() {
    workers.close();
  }
}
