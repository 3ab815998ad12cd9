package org.nyala.core.dispatch;

import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import org.nyala.core.dispatch.Task.Lane;
import org.nyala.core.dispatch.Task.Outcome;

/**
 * Starts every task on the event loop with a small budget, and moves those that do not end within
 * it to a stripe: most operations are cheaper than a change of threads.
 *
 * <p>Operations of connections that wait for the disk ({@link DiskWatch}) go to a pool of many
 * threads at once, and so do those of classes whose slices prove slow on the loop for another
 * reason, or if the system does not count page faults. Those of a connection that were too long for
 * the loop go to the stripes at once ({@link ConnectionLoopHistory}). One that is an exception
 * among short ones may continue on the loop; while all are long ({@link LoopLoad}), every one may
 * start and continue there. Slow hashes go to the hash pool. A permit is needed only off the loop.
 *
 * <p>Thread-safe. Hot: a task that ends in its first slice allocates nothing and writes nothing
 * that loops share, unless new connections wait for the disk.
 */
final class AdaptiveDispatch implements DispatchStrategy {
  static final String NAME = "adaptive";

  /**
   * The way to a stripe and back takes 50 to 70 microseconds if both threads have to be woken, and
   * more in a virtual machine. 256 candidates from memory take about as long or twice as long. With
   * more, a few dozen clients that request them over and over keep the others of their loop waiting
   * for tens of milliseconds.
   */
  private static final int LOOP_STEPS = 256;

  private static final long LOOP_NANOS = 200_000;

  private static final SliceBudget LOOP = new SliceBudget(LOOP_STEPS, LOOP_NANOS);

  /**
   * The budget of a long operation among short ones. Twice the need of one of a millisecond, so
   * that slightly longer ones end there, too.
   */
  private static final SliceBudget EXCEPTION = new SliceBudget(Slices.LOOP.steps(), 2_000_000);

  /**
   * The budget of a long operation among long ones, which makes way for no short one. Longer than a
   * thread stays without its processor when it loses it: a worker that went on with the task would
   * take a processor from another loop, whose task would be too long for that.
   */
  private static final SliceBudget UNHURRIED = new SliceBudget(Slices.WORKER.steps(), 4_000_000);

  private final LongSupplier nanoClock;
  private final LoopLoads paces;
  private final ClassDemotion[] verdicts = new ClassDemotion[Task.CLASSES];
  private final DiskWatch diskWatch;
  private final Workers workers;

  AdaptiveDispatch(DispatchSettings settings) {
    this(settings, Runtime.getRuntime().availableProcessors(), LinuxThreadUsage.ofThisSystem());
  }

  /**
   * Creates the strategy for a machine with a given number of processors.
   *
   * @param usage the counters of threads
   */
  AdaptiveDispatch(DispatchSettings settings, int processors, ThreadUsage usage) {
    this.nanoClock = settings.nanoClock();
    this.diskWatch = new DiskWatch(usage);
    this.paces = new LoopLoads(processors, nanoClock);
    Arrays.setAll(verdicts, _ -> new ClassDemotion());
    this.workers = new Workers(settings, WorkQueues::stripesAndDiskPool, new DiskApart());
  }

  /**
   * Sends tasks that wait for the disk to a pool of their own, with as many threads as may use the
   * disk at once: on the stripes, of which there is one for each processor, they would wait one
   * after the other, and all other tasks behind them. Tasks that are long for another reason have
   * as many threads as there are processors.
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

    @Override
    public Outcome run(Task task) {
      ConnectionLoopHistory history = task.loopHistory();
      if (history == null || task.lane() == Lane.HASH) {
        return Slices.run(task, Slices.WORKER);
      }
      DiskWatch.Slice slice = diskWatch.begin(nanoClock.getAsLong());
      Outcome outcome = Slices.run(task, Slices.WORKER);
      diskWatch.ended(slice, history, nanoClock.getAsLong(), outcome != Outcome.YIELDED);
      return outcome;
    }

    /** Asks the clock: its class is forgiven even when nothing of it comes to a loop any more. */
    private boolean isAway(Task task) {
      ConnectionLoopHistory history = task.loopHistory();
      return history != null && diskWatch.keepsOff(history)
          || !verdict(task).isLoopWorthy(nanoClock);
    }
  }

  private ClassDemotion verdict(Task task) {
    return verdicts[task.costClass()];
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
    int costClass = task.costClass();
    ClassDemotion verdict = verdict(task);
    if (!verdict.isLoopWorthy(nanoClock)) {
      return false;
    }
    ConnectionLoopHistory history = task.loopHistory();
    if (history == null) {
      return runTimed(task, verdict) != Outcome.YIELDED;
    }
    if (diskWatch.keepsOff(history)) {
      return false;
    }
    LoopLoad pace = history.pace(paces);
    if (!history.mayStart(costClass) && makesWay(task, pace)) {
      return false;
    }
    // Two readings of the clock are noticeable if slices are short, so those are sampled.
    boolean isTimed = history.isTimed() || !verdict.isSettled() || diskWatch.isClose(history);
    long start = isTimed ? nanoClock.getAsLong() : 0;
    DiskWatch.Slice slice = isTimed ? diskWatch.beginOnLoop(start) : null;
    Outcome outcome = Slices.run(task, LOOP);
    boolean isTooLong = isTooLong(task, outcome);
    if (isTimed || isTooLong) {
      long end = nanoClock.getAsLong();
      if (slice != null && diskWatch.ended(slice, history, end, outcome != Outcome.YIELDED)) {
        // Its connection is judged by it, not its class.
        return outcome != Outcome.YIELDED;
      }
      boolean isUnhurried = isTooLong && notedAsUnhurried(history, pace, end);
      // If all are long the machine is busy, and threads without a processor look like slow disks.
      if (isTimed && !isUnhurried) {
        verdict.sliceTook(end - start, end);
      }
      if (isTooLong) {
        return endsLate(task, history, pace, isUnhurried);
      }
    }
    // A slow client is no evidence about its operations.
    if (outcome != Outcome.AWAITING_CLIENT) {
      pace.wasShort(history);
    }
    if (isEnd(outcome)) {
      history.ended(costClass);
    }
    return outcome != Outcome.YIELDED;
  }

  /**
   * Returns whether keeping a task off the loop, because its predecessors were too long, benefits
   * another connection.
   */
  private boolean makesWay(Task task, LoopLoad pace) {
    return task.isPipelined() || !pace.isUnhurried(nanoClock.getAsLong());
  }

  /** Records that a task was too long; returns whether no connection benefits if it makes way. */
  private static boolean notedAsUnhurried(
      ConnectionLoopHistory history, LoopLoad pace, long nowNanos) {
    pace.wasLong(history, nowNanos);
    return pace.isUnhurried(nowNanos);
  }

  /**
   * Returns whether a task that exceeded the small budget was nevertheless completed on the loop.
   */
  private static boolean endsLate(
      Task task, ConnectionLoopHistory history, LoopLoad pace, boolean isUnhurried) {
    int costClass = task.costClass();
    Outcome outcome = Outcome.YIELDED;
    // All pipelined ones would have their turn on the loop before any other connection.
    if (!task.isPipelined()) {
      if (isUnhurried) {
        outcome = Slices.run(task, UNHURRIED);
      } else if (history.mayBeException(costClass, pace)) {
        outcome = Slices.run(task, EXCEPTION);
      }
    }
    if (isTooLong(task, outcome)) {
      history.overran(costClass);
      return false;
    }
    if (isEnd(outcome)) {
      history.endedLate(costClass);
    }
    return outcome != Outcome.YIELDED;
  }

  /** It makes way; a task that goes on in another lane does not. */
  private static boolean isTooLong(Task task, Outcome outcome) {
    return outcome == Outcome.YIELDED && task.lane() == Lane.READ;
  }

  /** Returns whether no work is left except for the client; the task may be elsewhere already. */
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
  public boolean recall(Task task) {
    return workers.recall(task);
  }

  @Override
  public int inFlight() {
    return workers.inFlight();
  }

  @Override
  public List<Long> demotions() {
    return Arrays.stream(verdicts).map(ClassDemotion::demotions).toList();
  }

  @Override
  public void close() {
    workers.close();
  }
}
