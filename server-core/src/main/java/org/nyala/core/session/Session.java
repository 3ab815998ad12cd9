package org.nyala.core.session;

import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ServerLimits;
import org.nyala.core.ServerMetrics;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.dispatch.DispatchStrategy;
import org.nyala.core.dispatch.LoopHistory;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.operation.LdapOperationException;
import org.nyala.core.operation.LdapResult;
import org.nyala.core.operation.OpenTransactions;
import org.nyala.core.operation.Operation;
import org.nyala.core.operation.OperationRouter;
import org.nyala.core.operation.Request;
import org.nyala.core.operation.RequestControl;
import org.nyala.core.operation.ResultCode;

/**
 * One client connection: who it speaks for and which of its operations run, wait or are deferred.
 *
 * <p>Confined to the channel's event loop, but for the methods that say otherwise, and but for a
 * worker that has claimed it: see {@link #lend}.
 */
public final class Session {
  /*
   * The rules are slapd's (connection.c): operations run in parallel up to a bound and answer in any order; a Bind abandons what
   * runs, drops what is deferred, and holds back what follows until it ends; an operation takes its identity when it starts;
   * Abandon and Unbind overtake. Unlike slapd the connection is not read while the deferred queue is full, so that a client that
   * pipelines faster than it is served is slowed down by TCP instead of being disconnected.
   */
  private enum State {
    ACTIVE,
    BINDING,
    CLOSED
  }

  /**
   * What sessions share.
   *
   * @param router finds what carries out a request
   * @param strategy the dispatch strategy of the moment
   * @param limitsNow the bounds of the moment
   * @param metrics the counters
   * @param nanoClock the clock for arrival times, in nanoseconds
   * @param listener is told what clients do
   */
  public record Environment(
      OperationRouter router,
      Supplier<DispatchStrategy> strategy,
      Supplier<ServerLimits> limitsNow,
      ServerMetrics metrics,
      LongSupplier nanoClock,
      SessionListener listener) {
    /** For sessions whose bounds do not change. */
    public Environment(
        OperationRouter router,
        Supplier<DispatchStrategy> strategy,
        ServerLimits limits,
        ServerMetrics metrics,
        LongSupplier nanoClock,
        SessionListener listener) {
      this(router, strategy, () -> limits, metrics, nanoClock, listener);
    }

    /** The bounds of the moment. */
    public ServerLimits limits() {
      return limitsNow.get();
    }
  }

  /** What overtakes is over at once and looks at no entries. */
  private static final SliceBudget OVERTAKING = new SliceBudget(1, 1);

  private final Environment environment;
  private final ClientConnection connection;
  private final Admission admission;
  private final OpenRequests requests;
  private final OpenTransactions transactions = new OpenTransactions();
  private BoundIdentity identity = BoundIdentity.ANONYMOUS;
  private State state = State.ACTIVE;
  private final LoopHistory loopHistory = new LoopHistory();
  private final SessionAccount account;
  private boolean starting;
  private boolean paused;
  private final Custody custody = new Custody();

  /** Opens an anonymous session; on the connection's event loop. */
  public Session(Environment environment, ClientConnection connection) {
    this.environment = environment;
    this.connection = connection;
    this.admission = new Admission(environment);
    this.requests = new OpenRequests(environment.router(), admission);
    this.account = new SessionAccount(this, environment);
  }

  /** The connection's number. Any thread. */
  public int connectionNumber() {
    return connection.number();
  }

  /** The other end. Any thread. */
  public ClientConnection connection() {
    return connection;
  }

  /** The server's counters. Any thread. */
  public ServerMetrics metrics() {
    return environment.metrics();
  }

  /** The clock of its operations, in nanoseconds. Any thread. */
  public LongSupplier nanoClock() {
    return environment.nanoClock();
  }

  /** Whom the session speaks for now. */
  public BoundIdentity identity() {
    return identity;
  }

  /** The transactions that were started and are not settled. Any thread. */
  public OpenTransactions transactions() {
    return transactions;
  }

  /** On whose account an identity's operations run: its own, or nobody's but the session's. */
  public Object owner(BoundIdentity of) {
    return of.isAnonymous() ? this : of;
  }

  /** On whose account the session's next operation runs. */
  public Object owner() {
    return owner(identity);
  }

  /** What became of the session's operations on the event loop. */
  public LoopHistory loopHistory() {
    return loopHistory;
  }

  /** What it does; any thread, to whom some of it may be a moment old. */
  public SessionStatus status() {
    return account.status(requests.inFlightCount(), requests.deferredCount());
  }

  /** The operations that were started and have not ended. */
  public List<Operation> running() {
    return requests.inFlight();
  }

  /** How many operations were started and have not ended. */
  public int inFlightCount() {
    return requests.inFlightCount();
  }

  /**
   * Whether the next request may be decoded; after false, {@link ClientConnection#resumeReading()}
   * says when.
   */
  public boolean wantsRequests() {
    boolean wants =
        state != State.CLOSED
            && !admission.isTaken()
            && requests.deferredCount() < environment.limits().deferredPerConnection();
    paused = !wants;
    return wants;
  }

  /** Takes a request that came in no time. */
  public void receive(Request request) {
    receive(request, environment.nanoClock().getAsLong(), 0);
  }

  /**
   * Takes a request.
   *
   * @param nowNanos the time of this moment, on the clock that times operations
   * @param tookNanos how long it took to decode it
   */
  public void receive(Request request, long nowNanos, long tookNanos) {
    if (state != State.CLOSED) {
      account.receives(request, nowNanos, tookNanos);
      take(request);
      account.hasReceived();
    }
  }

  private void take(Request request) {
    switch (request) {
      case Request.Unbind _ -> {
        int _ = account.starts(request);
        unbind();
      }
      case Request.Abandon abandon -> {
        int _ = account.starts(request);
        if (!RequestControl.anyCritical(abandon.controls())
            && requests.abandon(abandon.abandonedMessageId())) {
          goOn();
        }
      }
      case Request.Extended extended when environment.router().overtakes(extended) ->
          overtake(extended);
      case Request.Bind _ -> {
        abandonAll();
        // A bind that was under way is abandoned with the rest and will establish nobody.
        state = State.ACTIVE;
        requests.defer(request);
        startDeferred();
      }
      default -> {
        if (!isRefused(request.messageId())) {
          requests.defer(request);
          startDeferred();
        }
      }
    }
  }

  /** Refuses a message id that is in use, which ends the connection. */
  private boolean isRefused(int messageId) {
    boolean inUse = requests.isInUse(messageId);
    if (inUse) {
      disconnect(ResultCode.PROTOCOL_ERROR, "message id " + messageId + " is in use");
    }
    return inUse;
  }

  private void startDeferred() {
    if (starting) {
      return;
    }
    starting = true;
    try {
      while (mayStart()) {
        start(requests.takeDeferred());
      }
    } finally {
      starting = false;
    }
  }

  private boolean mayStart() {
    return state == State.ACTIVE
        && requests.deferredCount() > 0
        && !admission.isTaken()
        && requests.inFlightCount() < environment.limits().inFlightPerConnection();
  }

  private void start(Request request) {
    if (request instanceof Request.Bind) {
      state = State.BINDING;
      identity = BoundIdentity.ANONYMOUS;
    }
    Operation operation = open(request);
    if (admission.refuses()) {
      admission.refuse(operation);
    } else if (custody.isWorkers()) {
      startOnWorker(operation);
    } else {
      admission.dispatch(operation);
    }
  }

  /**
   * Answers {@code busy} to an operation that has waited for a permit for too long, and to what
   * waits behind it: the connection was not read meanwhile, so none of it has waited much less. On
   * the event loop, now and then.
   */
  public void refuseOverdue() {
    Operation operation = admission.overdue();
    if (operation != null && admission.withdraw(operation)) {
      refuseWhile(() -> admission.refuse(operation));
    }
  }

  /** Whether what has waited for a permit since then has waited for too long. */
  public boolean isOverdue(long sinceNanos) {
    return admission.isOverdue(sinceNanos);
  }

  /** Answers {@code busy} to the operations that {@code work} starts. On the event loop. */
  public void refuseWhile(Runnable work) {
    admission.refuseWhile(work);
  }

  /** A worker runs the first operation itself; the others are work under way that it submits. */
  private void startOnWorker(Operation operation) {
    if (!custody.keepAsOwn(operation)) {
      resume(operation);
    }
  }

  /**
   * Lends the session to the worker that is to decode the connection's next requests, until {@link
   * #takeBack}. Until then only {@link #completed}, {@link #writable}, {@link #drain} and {@link
   * #closed} may be called, and what says that any thread may call it; they take the session back
   * from a worker that has not claimed it.
   */
  public void lend() {
    custody.lend();
  }

  /**
   * Takes the session over for the calling worker, which may then call {@link #wantsRequests} and
   * {@link #receive} and has it given back with {@link #takeBack}, soon. On the worker, once for
   * each {@link #lend}.
   *
   * @return false when the event loop has it again, which has to take the requests then
   */
  public boolean claim() {
    return custody.claim();
  }

  /**
   * The first operation that was started since the session was claimed, which the worker has to
   * run; null where none was. On the worker, before it gives the session back.
   */
  public @Nullable Operation takeOwn() {
    return custody.takeOwn();
  }

  /** Has the session back on the event loop, claimed or not, and does what had to wait for it. */
  public void takeBack() {
    custody.takeBack();
  }

  private Operation open(Request request) {
    Operation operation =
        new Operation(
            this,
            request,
            environment.router().route(request),
            connection.openSink(request),
            identity,
            account.arrivalNanos(request),
            account.decodeNanos(request));
    requests.started(operation);
    operation.arrived();
    operation.number(account.starts(request));
    environment.metrics().operationsStarted().increment();
    return operation;
  }

  /** Runs a request at once, past everything that waits. */
  private void overtake(Request request) {
    if (!isRefused(request.messageId())) {
      open(request).run(OVERTAKING);
    }
  }

  /**
   * Cancels the operation of a message id (RFC 3909): it ends with {@code canceled}, unless its
   * answer is on the way already. On the event loop.
   *
   * @param messageId the operation's
   * @param cause parked by the caller where this returns true; is finished, with success or
   *     tooLate, when the other operation has ended
   * @return false when there is nothing to wait for: success
   * @throws LdapOperationException noSuchOperation or cannotCancel
   */
  public boolean cancel(int messageId, @Nullable Operation cause) throws LdapOperationException {
    Request request = requests.cancel(messageId, cause);
    if (request == null) {
      return true;
    }
    Operation never = open(request);
    never.cancel(null);
    never.run(OVERTAKING);
    return false;
  }

  /**
   * A bind came that says what is not allowed, and was answered: it has failed like any other (RFC
   * 4511, section 4.2.1), and nobody is bound.
   */
  public void bindRefused() {
    if (state != State.CLOSED) {
      abandonAll();
      state = State.ACTIVE;
      identity = BoundIdentity.ANONYMOUS;
    }
  }

  /** A waiting operation got its permit. Any thread. */
  public void admitted(Operation operation) {
    connection.execute(
        () ->
            whenOurs(
                () -> {
                  admission.granted(operation);
                  goOn();
                }));
  }

  /** On the event loop: does {@code work} now, or when a worker has given the session back. */
  public void whenOurs(Runnable work) {
    if (custody.isLoops()) {
      work.run();
    } else {
      custody.holdBack(work);
    }
  }

  /** Runs {@code work} on the connection's event loop, after what it is doing now. Any thread. */
  public void executeLater(Runnable work) {
    connection.executeLater(work);
  }

  /** Dispatches an operation again that waited for the client. Any thread. */
  public void resume(Operation operation) {
    environment.strategy().get().resume(operation);
  }

  /** An operation ended; on the event loop. */
  public void completed(Operation operation) {
    if (!custody.isLoops()) {
      custody.holdBack(() -> completed(operation));
      return;
    }
    requests.ended(operation);
    account.completed(operation);
    if (state == State.BINDING && !operation.isSilenced()) {
      bindCompleted(operation);
    }
    goOn();
    // The last thing: the session may be lent again by now.
    Operation canceler = operation.canceler();
    if (canceler != null) {
      canceler.finish(
          LdapResult.of(operation.endedCanceled() ? ResultCode.SUCCESS : ResultCode.TOO_LATE));
    }
  }

  private void bindCompleted(Operation operation) {
    if (operation.request() instanceof Request.Bind) {
      BoundIdentity established = operation.established();
      identity = established == null ? BoundIdentity.ANONYMOUS : established;
      state = State.ACTIVE;
    }
  }

  private void goOn() {
    if (state == State.CLOSED) {
      return;
    }
    startDeferred();
    // Whoever is starting operations looks again. So does the loop when a worker gives the session
    // back. Reading may lend the session: nothing is done with it afterwards.
    if (paused && !starting && !custody.isWorkers() && wantsRequests()) {
      connection.resumeReading();
    }
  }

  private void unbind() {
    close();
    disconnect(null);
  }

  private void disconnect(@Nullable LdapResult notice) {
    if (custody.isWorkers()) {
      custody.endAfterwards(() -> connection.disconnect(notice));
    } else {
      connection.disconnect(notice);
    }
  }

  private void abandonAll() {
    requests.abandonAll();
    transactions.abortAll();
  }

  private void disconnect(ResultCode code, String message) {
    if (state == State.CLOSED) {
      return;
    }
    close();
    disconnect(LdapResult.of(code, message));
  }

  /**
   * Sends the client an unsolicited notification (RFC 4511, section 4.4). Any thread.
   *
   * @param result what goes with it
   * @param oid what it is
   * @param value what it says, or null
   */
  public void sendNotice(LdapResult result, String oid, byte @Nullable [] value) {
    connection.execute(
        () ->
            whenOurs(
                () -> {
                  if (state != State.CLOSED) {
                    connection.sendNotice(result, oid, value);
                  }
                }));
  }

  /** The client has read: operations that waited for it go on. */
  public void writable() {
    if (!custody.isLoops()) {
      custody.holdBack(this::writable);
      return;
    }
    requests.wake();
  }

  /** An operation can neither be carried out nor answered: the connection ends. Any thread. */
  public void abort() {
    connection.execute(() -> whenOurs(() -> disconnect(ResultCode.OTHER, "internal error")));
  }

  /** The server is about to stop: ends what would go on for ever. On the event loop. */
  public void drain() {
    whenOurs(requests::stopEndless);
  }

  /** The connection is gone: everything that it started ends without an answer. Idempotent. */
  public void closed() {
    whenOurs(this::close);
  }

  private void close() {
    if (state != State.CLOSED) {
      state = State.CLOSED;
      abandonAll();
      account.closed();
    }
  }
}
