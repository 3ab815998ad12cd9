package org.nyala.loadtest.jmh;

import org.nyala.core.dispatch.ConnectionLoopHistory;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task;
import org.nyala.core.session.OperationClass;

/**
 * A request of a synthetic load, or, if workers decode, the burst that it comes in.
 *
 * <p>Confined to one running operation.
 */
final class SyntheticOperation implements Task {
  /** The time that a scan spends on a candidate that it sends. */
  private static final long CANDIDATE_NANOS = 250;

  /** The number of candidates between two reads of the clock. */
  private static final int STEP_CANDIDATES = 64;

  private static final long STEP_NANOS = STEP_CANDIDATES * CANDIDATE_NANOS;

  private final SyntheticConnection connection;
  private final SyntheticWork work;
  private final OperationClass operationClass;
  private boolean isDecoded;
  private long blockingNanos;
  private long computingNanos;
  private final long hashingNanos;
  private Lane lane = Lane.READ;

  /**
   * Creates a request.
   *
   * @param connection sent it
   * @param work makes its costs
   * @param cost its cost
   * @param isRare true for one of the rare ones
   * @param isDecoded true if the event loop has decoded it
   */
  SyntheticOperation(
      SyntheticConnection connection,
      SyntheticWork work,
      SyntheticCost cost,
      boolean isRare,
      boolean isDecoded) {
    this.connection = connection;
    this.work = work;
    this.isDecoded = isDecoded;
    this.operationClass = isDecoded ? cost.operationClass(isRare) : OperationClass.DECODE;
    this.blockingNanos = cost.blockingNanos(isRare);
    this.computingNanos = cost.computingNanos(isRare);
    this.hashingNanos = cost.hashingNanos(isRare);
  }

  @Override
  public Outcome run(SliceBudget budget) {
    if (!isDecoded) {
      isDecoded = true;
      connection.decode();
      connection.giveSessionBack();
    }
    if (lane == Lane.HASH) {
      work.compute(hashingNanos);
    } else if (!computes(budget)) {
      return Outcome.YIELDED;
    } else if (hashingNanos > 0) {
      lane = Lane.HASH;
      return Outcome.YIELDED;
    }
    connection.answer();
    return Outcome.DONE;
  }

  /**
   * Computes within the budget, unless no client waits for it any more; returns whether that was
   * all.
   */
  private boolean computes(SliceBudget budget) {
    long start = System.nanoTime();
    if (blockingNanos > 0) {
      work.block(blockingNanos);
      blockingNanos = 0;
    }
    int candidates = budget.steps();
    while (computingNanos > 0 && !connection.isClosing()) {
      long step = Math.min(computingNanos, STEP_NANOS);
      work.compute(step);
      computingNanos -= step;
      candidates -= STEP_CANDIDATES;
      if (computingNanos > 0 && (candidates <= 0 || System.nanoTime() - start >= budget.nanos())) {
        return false;
      }
    }
    return true;
  }

  @Override
  public Lane lane() {
    return lane;
  }

  @Override
  public int costClass() {
    return operationClass.number();
  }

  @Override
  public int connectionNumber() {
    return connection.number();
  }

  @Override
  public ConnectionLoopHistory loopHistory() {
    return connection.loopHistory();
  }

  /**
   * Does nothing: its connection sends nothing before it is answered, and need not be kept from it.
   */
  @Override
  public void admitted() {}

  @Override
  public void continueOnLoop(Runnable continuation) {
    connection.executeLater(continuation);
  }
}
