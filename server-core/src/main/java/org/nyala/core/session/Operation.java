package org.nyala.core.session;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.budget.AllocationAccount;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.metrics.Phase;

/**
 * One request on its way to its answer: runs its body in slices, waits for slow clients without a
 * thread, ends exactly once.
 *
 * <p>Confined to one running operation, but for {@link #abandon()} and {@link #cancel}, which
 * belong to the event loop, {@link #isDue}, which belongs to the holder of the queue, and {@link
 * #wake()} and {@link #admitted()}, which any thread may call.
 */
public final class Operation extends OperationHeader {
  /*
   * Only the operation's owner touches its sink: the thread that runs a slice, or the one that
   * takes the operation out of WAITING. A wake-up that finds the operation not waiting leaves a
   * mark instead, and the owner checks the sink again before it waits: no wake-up is lost, and none
   * reads a buffer that another thread writes.
   */
  private static final int RUNNING = 0;
  private static final int RUNNING_AND_WOKEN = 1;
  private static final int WAITING = 2;

  /** The state of the client's interest in the answer; once lost, it never comes back. */
  private static final int WANTED = 0;

  private static final int CANCELED = 1;
  private static final int ABANDONED = 2;
  private static final int STOPPED = 3;
  private static final int TOO_LARGE = 4;
  private static final int DISPLACED = 5;

  private static final int SAFE_BITS = 128;

  private static final LdapResult CANCELED_RESULT = LdapResult.of(ResultCode.CANCELED);

  /**
   * The result of an operation that ends because the server stops, and not at a client's request.
   */
  private static final LdapResult STOPPED_RESULT =
      LdapResult.of(ResultCode.UNAVAILABLE, "the server stops");

  /** The result of an operation that ends because it takes too much memory. */
  private static final LdapResult TOO_LARGE_RESULT =
      LdapResult.of(ResultCode.ADMIN_LIMIT_EXCEEDED, "the operation takes too much memory");

  private static final AtomicIntegerFieldUpdater<Operation> INTEREST =
      AtomicIntegerFieldUpdater.newUpdater(Operation.class, "interest");
  private static final AtomicIntegerFieldUpdater<Operation> STATE =
      AtomicIntegerFieldUpdater.newUpdater(Operation.class, "state");
  private static final System.Logger LOG = System.getLogger(Operation.class.getName());

  private final OperationBody body;
  private final ResponseSink sink;
  private @Nullable Operation canceler;
  private @Nullable TimeLimit timeLimit;

  /** The one who looks at the result before the client does; null for nobody. */
  private @Nullable AnswerGate gate;

  private @Nullable AllocationAccount allocation;

  /** The place in the lane for slow hashes; null in the other. */
  private @Nullable HashTurn turn;

  private boolean endedCanceled;
  private boolean endsOnLoop;
  private boolean isHandedOver;
  private volatile int interest;
  private volatile int state;

  /**
   * Creates an operation that runs with the session's identity of this moment (slapd: at
   * activation).
   *
   * @param arrivalNanos the present time on the session's clock
   * @param decodeNanos the time taken to decode the request; 0 if it has waited since
   */
  public Operation(
      Session session,
      Request request,
      OperationBody body,
      ResponseSink sink,
      BoundIdentity identity,
      long arrivalNanos,
      long decodeNanos) {
    super(session, request, identity, arrivalNanos, decodeNanos);
    this.body = body;
    this.sink = sink;
  }

  /**
   * Has somebody look at the result with which the operation, once parked, is about to end; called
   * by its owner.
   *
   * @param other looks at one result; what it ends the operation with itself is not shown to it
   */
  public void gateBy(AnswerGate other) {
    gate = other;
  }

  /** Gives the body its place among those of its session; on the event loop, before it runs. */
  public void arrived() {
    body.arrived(this);
  }

  public ResponseSink sink() {
    return sink;
  }

  /**
   * Returns whether further results are no longer wanted, because the operation was abandoned or
   * canceled; bodies check it between entries, and end with {@link ResultCode#CANCELED}.
   */
  public boolean isAbandoned() {
    return interest != WANTED;
  }

  /** Sets the time limit; called by its owner. */
  void limitTime(TimeLimit limit) {
    timeLimit = limit;
  }

  @Override
  public boolean isDue() {
    return isAbandoned() || isTimeOver();
  }

  private boolean isTimeOver() {
    TimeLimit limit = timeLimit;
    return limit != null && limit.isOver(session().nanoClock().getAsLong());
  }

  /** Returns whether the operation ends without an answer. */
  public boolean isSilenced() {
    return interest == ABANDONED;
  }

  /**
   * Returns whether the operation has ended with the answer that it was canceled; valid once it has
   * ended.
   */
  public boolean endedCanceled() {
    return endedCanceled;
  }

  /**
   * Returns whether the request is from root, on the machine itself or encrypted by 128 bits: it
   * may be answered with passwords.
   */
  public boolean isByRootSafely() {
    return identity().isRoot() && isSafe();
  }

  /** Returns whether its client is on the machine itself, or nobody else can read its answers. */
  public boolean isSafe() {
    ClientConnection connection = session().connection();
    return connection.isOnThisMachine() || connection.strengthBits() >= SAFE_BITS;
  }

  /** Returns whether it goes on until it is ended from outside. */
  public boolean isEndless() {
    return body.isEndless();
  }

  /** The operation that canceled this one and waits for its end, or null. On the event loop. */
  public @Nullable Operation canceler() {
    return canceler;
  }

  /**
   * Sets the lane of the next slice; the body then returns {@link Outcome#YIELDED}. The operation
   * ends with {@link ResultCode#BUSY} if it is to wait for a slow hash and too many do: more than
   * may wait, or so many that its turn would come too late.
   */
  public void moveTo(Lane next) {
    hashed();
    turn = null;
    if (next == Lane.HASH) {
      HashTurn taken = new HashTurn(this, session().hashes());
      turn = taken;
      if (!taken.queuesInTime()) {
        refuse();
      }
    }
  }

  /**
   * Refuses the operation if it has waited too long for its turn to hash a password.
   *
   * @param sinceNanos the time since which it has waited, on the session's clock
   * @throws LdapOperationException busy
   */
  public void requireTurn(long sinceNanos) throws LdapOperationException {
    if (session().hashes().isLate(sinceNanos)) {
      session().metrics().operationsRefused().increment();
      throw new LdapOperationException(session().hashes().busy(owner()));
    }
  }

  /** Gives up the place among those that wait for a slow hash: none is left to be computed. */
  public void hashed() {
    HashTurn taken = turn;
    if (taken != null) {
      taken.ends();
    }
  }

  /**
   * Gives up that place until the operation is {@link #unpark unparked}; called by its owner,
   * before it is parked to wait for something else than a hash.
   */
  public void pauseHashing() {
    HashTurn taken = turn;
    if (taken != null) {
      taken.pauses();
    }
  }

  @Override
  public Lane lane() {
    return turn == null ? Lane.READ : Lane.HASH;
  }

  @Override
  public void admitted() {
    permitted();
    session().admitted(this);
  }

  @Override
  public void continueOnLoop(Runnable continuation) {
    session().executeLater(continuation);
  }

  /**
   * Suppresses further answers; a waiting operation is woken to end. On the connection's event
   * loop.
   */
  public void abandon() {
    interest = ABANDONED;
    sink.suppress();
    wake();
  }

  /**
   * Ends the operation with {@link ResultCode#CANCELED} if it is not too late (RFC 3909). On the
   * connection's event loop, once at most.
   *
   * @param cause the operation to notify of the end; null for none
   */
  public void cancel(@Nullable Operation cause) {
    canceler = cause;
    if (interest == WANTED) {
      interest = CANCELED;
      wake();
    }
  }

  /**
   * Ends the operation with {@link ResultCode#UNAVAILABLE}: the server is about to stop. On the
   * connection's event loop.
   */
  public void stop() {
    if (interest == WANTED) {
      interest = STOPPED;
      wake();
    }
  }

  /**
   * Ends the operation with {@link ResultCode#ADMIN_LIMIT_EXCEEDED}, soon: it takes too much
   * memory. Any thread.
   */
  private void endForMemory() {
    AllocationAccount account = allocation;
    if (INTEREST.compareAndSet(this, WANTED, TOO_LARGE)) {
      session()
          .memory()
          .operationEnded(
              this::description, connectionNumber(), account == null ? 0 : account.total());
      wake();
    }
  }

  /** Ends the operation with {@link ResultCode#BUSY}: it may not wait for a slow hash. */
  private void refuse() {
    if (INTEREST.compareAndSet(this, WANTED, DISPLACED)) {
      session().metrics().operationsRefused().increment();
    }
  }

  /**
   * Ends the operation with {@link ResultCode#BUSY}, as soon as it is found where it waits for a
   * slow hash: another has taken its place. Any thread.
   */
  void displaced() {
    if (INTEREST.compareAndSet(this, WANTED, DISPLACED)) {
      session().metrics().displaced().increment();
      wake();
      session().displaced(this);
    }
  }

  /** Resumes the operation if it waited and need not any longer. Any thread. */
  public void wake() {
    while (true) {
      int seen = state;
      if (seen == RUNNING_AND_WOKEN) {
        return;
      }
      if (seen == RUNNING && STATE.compareAndSet(this, RUNNING, RUNNING_AND_WOKEN)) {
        return;
      }
      if (seen == WAITING && STATE.compareAndSet(this, WAITING, RUNNING)) {
        if (!waits()) {
          session().resume(this);
        }
        return;
      }
    }
  }

  /**
   * Records that the operation is about to be handed to the writer of a store; called by its owner,
   * before the body returns {@link Outcome#PARKED}.
   *
   * @throws LdapOperationException adminLimitExceeded if the slice has allocated too much memory
   */
  public void handsOver() throws LdapOperationException {
    isHandedOver = true;
    long began = sinceNanos();
    long allocated = sliceAllocated(lane(), began, enter(Phase.COMMIT));
    if (!session().memory().mayAllocate(allocated)) {
      session().memory().operationEnded(this::description, connectionNumber(), allocated);
      throw new LdapOperationException(TOO_LARGE_RESULT);
    }
  }

  @Override
  public Outcome run(SliceBudget budget) {
    Lane begun = lane();
    if (turn != null) {
      turn.begins();
    }
    long beganNanos = sliceBegins(begun == Lane.HASH ? Phase.HASH : Phase.EXECUTE, sink.isOnLoop());
    session().metrics().operations().slices().begins(beganNanos);
    if (isTimeOver()) {
      // An operation that goes on all the same waits for its turn again.
      timeLimit = null;
    }
    Outcome outcome = isAbandoned() ? stopped() : runBody(budget);
    if (outcome == Outcome.PARKED) {
      // The operation may be in other hands now, and may have ended already.
      sliceTook(begun, beganNanos, session().nanoClock().getAsLong());
      return outcome;
    }
    if (outcome != Outcome.DONE && isAbandoned()) {
      outcome = stopped();
    } else if (outcome == Outcome.YIELDED && sink.awaitsRoom()) {
      outcome = Outcome.AWAITING_CLIENT;
    }
    long endNanos = enter(outcome == Outcome.YIELDED ? Phase.QUEUE : Phase.WRITE);
    sliceTook(begun, beganNanos, endNanos);
    long allocated = sliceAllocated(begun, beganNanos, endNanos);
    if (allocated >= AllocationAccount.NOTED_BYTES && outcome != Outcome.DONE) {
      outcome = charged(outcome, allocated);
    }
    if (turn != null && outcome != Outcome.DONE) {
      turn.waits();
    }
    return switch (outcome) {
      case DONE -> end();
      case YIELDED -> goOnLater();
      case AWAITING_CLIENT -> await();
      case PARKED -> outcome;
    };
  }

  /** Charges for what a slice has allocated; the operation ends if that is too much. */
  private Outcome charged(Outcome outcome, long allocated) {
    AllocationAccount account = allocation;
    if (account == null) {
      account = session().memory().openAllocation(this::endForMemory);
      allocation = account;
    }
    if (!account.add(allocated)) {
      endForMemory();
    }
    return isAbandoned() ? stopped() : outcome;
  }

  /**
   * Ends a parked operation with an answer, or without one if it was abandoned; by its holder,
   * once. Any thread.
   *
   * @param answer appends the final response to the sink
   */
  public void finish(Runnable answer) {
    if (isHandedOver) {
      session().tellsChange();
    }
    try {
      if (!isSilenced()) {
        answer.run();
      }
    } catch (Throwable e) {
      fail(e);
    }
    enter(Phase.WRITE);
    end();
  }

  /** Ends a parked operation with a result, as {@link #finish(Runnable)} does. Any thread. */
  public void finish(LdapResult result) {
    finish(result, () -> sink.result(request(), ending(result)));
  }

  /**
   * Ends a parked operation, as {@link #finish(Runnable)} does. Any thread.
   *
   * @param result the result
   * @param answer appends the final response with that result to the sink
   */
  public void finish(LdapResult result, Runnable answer) {
    AnswerGate asked = gate;
    gate = null;
    if (asked == null || !asked.holds(result, () -> end(result, answer))) {
      end(result, answer);
    }
  }

  private void end(LdapResult result, Runnable answer) {
    endedCanceled = result.code() == ResultCode.CANCELED;
    finish(answer);
  }

  /**
   * Ends an operation that no thread has, because of a result or because it is no longer wanted; on
   * the connection's event loop, which is its owner.
   */
  public void decline(LdapResult result) {
    if (isAbandoned()) {
      stopped();
      enter(Phase.WRITE);
      end();
    } else {
      finish(result);
    }
  }

  /**
   * Runs the next slice of a parked operation at the place that the strategy chooses. Any thread.
   */
  public void unpark() {
    if (turn != null && !turn.goesOn()) {
      refuse();
    }
    session().resume(this);
  }

  private Outcome end() {
    hashed();
    endsOnLoop = sink.isOnLoop();
    sink.flush(this::ended);
    return Outcome.DONE;
  }

  private void ended() {
    if (!endsOnLoop) {
      enter(Phase.WRITE);
    }
    body.ended();
    if (allocation != null) {
      allocation.close();
    }
    session().completed(this);
  }

  /** Ends an operation whose answer is no longer wanted. */
  private Outcome stopped() {
    if (!isSilenced()) {
      endedCanceled = true;
      sink.result(request(), ending(CANCELED_RESULT));
    }
    return Outcome.DONE;
  }

  /** A body that finds its result no longer wanted need not know the reason. */
  private LdapResult ending(LdapResult result) {
    if (result.code() != ResultCode.CANCELED) {
      return result;
    }
    return switch (interest) {
      case STOPPED -> STOPPED_RESULT;
      case TOO_LARGE -> TOO_LARGE_RESULT;
      case DISPLACED -> session().hashes().busy(owner());
      default -> result;
    };
  }

  /** The results found so far are sent: the next answer may be a long way off. */
  private Outcome goOnLater() {
    sink.flush(null);
    return Outcome.YIELDED;
  }

  private Outcome await() {
    sink.flush(this::wake);
    return waits() ? Outcome.AWAITING_CLIENT : Outcome.YIELDED;
  }

  /**
   * Gives up the operation until it is woken, unless it can go on at once or is due to end; called
   * by its owner. After true the operation may be elsewhere already.
   */
  private boolean waits() {
    while (!isDue() && !(sink.isWritable() && body.isReady())) {
      if (STATE.compareAndSet(this, RUNNING, WAITING)) {
        return true;
      }
      state = RUNNING;
    }
    state = RUNNING;
    return false;
  }

  private Outcome runBody(SliceBudget budget) {
    try {
      return answered(budget);
    } catch (Throwable e) {
      // Errors too: out of memory in one search must not leave its client without an answer.
      fail(e);
      return Outcome.DONE;
    }
  }

  private Outcome answered(SliceBudget budget) {
    try {
      return body.run(this, budget);
    } catch (LdapOperationException e) {
      endedCanceled = e.result().code() == ResultCode.CANCELED;
      RefusalReason reason = e.reason();
      if (reason != null) {
        openTrail().refused(reason);
      }
      sink.result(request(), ending(e.result()));
      return Outcome.DONE;
    }
  }

  private void fail(Throwable e) {
    session().metrics().internalErrors().increment();
    LdapResult result = LdapResult.of(ResultCode.OTHER, "internal error");
    if (e instanceof OutOfMemoryError ranOut) {
      session().memory().ranOut(ranOut);
      result = LdapResult.of(ResultCode.BUSY, "out of memory");
    } else {
      LOG.log(System.Logger.Level.ERROR, "internal error in " + description(), e);
    }
    try {
      sink.result(request(), result);
    } catch (RuntimeException | Error again) {
      LOG.log(System.Logger.Level.ERROR, "nor could it be answered", again);
      session().abort();
    }
  }
}
