package org.nyala.core.dispatch;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dispatch.Task.Lane;
import org.nyala.core.dispatch.Task.Outcome;

/**
 * Starts every task on the event loop with a small budget, and moves to a stripe what does not end
 * within it: most operations are cheaper than a change of threads.
 *
 * <p>Operation classes whose slices prove slow on the loop go to the stripes at once, for a while,
 * and so do those of a connection that were too long for the loop ({@link LoopHistory}). Slow
 * hashes go to the hash pool. A permit is needed only off the loop.
 *
 * <p>Thread-safe. Hot: a task that ends in its first slice allocates nothing and writes nothing
 * that loops share.
 */
final class AdaptiveDispatch implements DispatchStrategy {
  static final String NAME = "adaptive";

  /**
   * A hop costs the loop, the stripe and the way back some 10 to 20 microseconds of processor; an
   * entry from memory costs well under one. 256 candidates are about ten hops' worth, and what a
   * loop can spend on one client without the others noticing.
   */
  private static final int LOOP_ENTRIES = 256;

  private static final long LOOP_NANOS = 200_000;

  private static final SliceBudget LOOP = new SliceBudget(LOOP_ENTRIES, LOOP_NANOS);

  private final LongSupplier nanoClock;
  private final EnumMap<OperationClass, LoopVerdict> verdicts = new EnumMap<>(OperationClass.class);
  private final Workers workers;

  AdaptiveDispatch(DispatchSettings settings) {
    this.nanoClock = settings.nanoClock();
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
    OperationClass operationClass = task.operationClass();
    LoopHistory history = task.loopHistory();
    if (task.lane() == Lane.READ && (history == null || history.mayStart(operationClass))) {
      LoopVerdict verdict = Objects.requireNonNull(verdicts.get(operationClass));
      if (verdict.isLoopWorthy(nanoClock)) {
        Outcome outcome =
            history == null || history.isTimed() || !verdict.isSettled()
                ? runTimed(task, verdict)
                : Slices.run(task, LOOP);
        if (outcome != Outcome.YIELDED) {
          remember(history, operationClass, outcome);
          return true;
        }
        if (history != null && task.lane() == Lane.READ) {
          history.overran(operationClass);
        }
      }
    }
    return workers.enter(task);
  }

  /** Two looks at the clock show where slices are short, so those are sampled. */
  private Outcome runTimed(Task task, LoopVerdict verdict) {
    long start = nanoClock.getAsLong();
    Outcome outcome = Slices.run(task, LOOP);
    long end = nanoClock.getAsLong();
    verdict.sliceTook(end - start, end);
    return outcome;
  }

  /** A slow client says nothing about its operations. */
  private static void remember(
      @Nullable LoopHistory history, OperationClass operationClass, Outcome outcome) {
    if (history != null && outcome != Outcome.AWAITING_CLIENT) {
      history.ended(operationClass);
    }
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
