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
 * <p>Operation classes whose slices prove slow on the loop go to the stripes at once, for a while,
 * and so do those of a connection that were too long for the loop ({@link LoopHistory}). Where
 * nobody would gain by it that a task makes way, its budget is ten times as large ({@link
 * LoopPace}). Slow hashes go to the hash pool. A permit is needed only off the loop.
 *
 * <p>Thread-safe. Hot: a task that ends in its first slice allocates nothing and writes nothing
 * that loops share.
 */
final class AdaptiveDispatch implements DispatchStrategy {
  static final String NAME = "adaptive";

  /**
   * The way to a stripe and back takes 50 to 70 microseconds where both threads have to be woken,
   * and more in a virtual machine. A few times that is what a loop can spend on one client without
   * the others noticing.
   */
  private static final long LOOP_NANOS = 200_000;

  private static final SliceBudget LOOP = new SliceBudget(Slices.LOOP.entries(), LOOP_NANOS);

  /** How many times as long a slice may be where nobody waits who should not. */
  private static final int UNHURRIED = 10;

  /** What is not over by then gains little by staying. */
  private static final SliceBudget UNHURRIED_LOOP =
      new SliceBudget(UNHURRIED * Slices.LOOP.entries(), UNHURRIED * LOOP_NANOS);

  private final LongSupplier nanoClock;
  private final LoopPaces paces;
  private final EnumMap<OperationClass, LoopVerdict> verdicts = new EnumMap<>(OperationClass.class);
  private final Workers workers;

  AdaptiveDispatch(DispatchSettings settings) {
    this.nanoClock = settings.nanoClock();
    this.paces = new LoopPaces(Runtime.getRuntime().availableProcessors(), nanoClock);
    for (OperationClass operationClass : OperationClass.values()) {
      verdicts.put(operationClass, new LoopVerdict());
    }
    this.workers = new Workers(settings, Places::stripes, Workers::leastLoaded);
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
    LoopVerdict verdict = Objects.requireNonNull(verdicts.get(operationClass));
    LoopHistory history = task.loopHistory();
    if (history == null) {
      return verdict.isLoopWorthy(nanoClock) && runTimed(task, verdict) != Outcome.YIELDED;
    }
    LoopPace pace = history.pace(paces);
    if (!verdict.isLoopWorthy(nanoClock) || !history.mayStart(operationClass)) {
      pace.wasLong(history, task.isPipelined(), nanoClock.getAsLong());
      return false;
    }
    Outcome outcome =
        pace.isUnhurried(history)
            ? runUnhurried(task, history, pace, verdict)
            : runSoon(task, history, pace, verdict);
    if (outcome == Outcome.YIELDED) {
      overran(task, history, pace);
      return false;
    }
    // A slow client says nothing about its operations.
    if (outcome != Outcome.AWAITING_CLIENT) {
      history.ended(operationClass);
    }
    return true;
  }

  /** It makes way, or belongs elsewhere. */
  private void overran(Task task, LoopHistory history, LoopPace pace) {
    if (task.lane() == Lane.READ) {
      history.overran(task.operationClass());
      pace.wasLong(history, task.isPipelined(), nanoClock.getAsLong());
    }
  }

  private Outcome runSoon(Task task, LoopHistory history, LoopPace pace, LoopVerdict verdict) {
    boolean isClean = history.isClean(task.operationClass());
    // Two looks at the clock show where slices are short, so those are sampled.
    Outcome outcome =
        history.isTimed() || !verdict.isSettled()
            ? runTimed(task, verdict)
            : Slices.run(task, LOOP);
    if (outcome == Outcome.YIELDED && isClean && task.lane() == Lane.READ) {
      // Its thread may have lost the processor meanwhile.
      outcome = Slices.run(task, LOOP);
    }
    if (hasEnded(outcome)) {
      pace.wasShort(history);
    }
    return outcome;
  }

  private Outcome runUnhurried(Task task, LoopHistory history, LoopPace pace, LoopVerdict verdict) {
    // Not to be asked once it has ended.
    boolean isPipelined = task.isPipelined();
    long start = nanoClock.getAsLong();
    Outcome outcome = Slices.run(task, UNHURRIED_LOOP);
    long end = nanoClock.getAsLong();
    verdict.sliceTook((end - start) / UNHURRIED, end);
    if (hasEnded(outcome)) {
      if (end - start > LOOP_NANOS) {
        pace.wasLong(history, isPipelined, end);
      } else {
        pace.wasShort(history);
      }
    }
    return outcome;
  }

  private static boolean hasEnded(Outcome outcome) {
    return outcome == Outcome.DONE || outcome == Outcome.PARKED;
  }

  private Outcome runTimed(Task task, LoopVerdict verdict) {
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
