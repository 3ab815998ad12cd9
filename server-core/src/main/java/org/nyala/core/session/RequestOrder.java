package org.nyala.core.session;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.sasl.SecurityLayer;

/**
 * The order in which the requests of one session start, with the effects on other requests and the
 * identity of each.
 *
 * <p>Confined as its session is. Hot.
 */
final class RequestOrder {
  /*
   * The rules are slapd's (connection.c): operations run in parallel up to a bound and answer in
   * any order; a Bind abandons running operations, drops deferred requests, and holds back later
   * ones until it ends; an operation takes its identity when it starts; Abandon and Unbind
   * overtake. Unlike slapd the connection is not read while the deferred queue is full, so that a
   * client that pipelines faster than it is served is slowed down by TCP instead of being
   * disconnected.
   */
  private enum State {
    ACTIVE,
    BINDING,
    CLOSED
  }

  /** The body of every other request while a bind of several messages is under way. */
  private static final OperationBody BIND_IN_PROGRESS =
      (_, _) -> {
        throw new LdapOperationException(ResultCode.OPERATIONS_ERROR, "a SASL bind is in progress");
      };

  /** An overtaking request is over at once and examines no entries. */
  private static final String SIMPLE = "simple";

  private static final SliceBudget OVERTAKING = new SliceBudget(1, 1);

  private final Session session;
  private final SessionEnvironment environment;
  private final SessionAccount account;
  private final Admission admission;
  private final SessionOwnership custody;
  private final RequestCharges charges;
  private final OpenRequests requests;
  private final OpenTransactions transactions;
  private BoundIdentity identity = BoundIdentity.ANONYMOUS;
  private String mechanism = "";
  private volatile int inFlightLimit;
  private @Nullable BindExchange exchange;
  private State state = State.ACTIVE;
  private boolean starting;
  private boolean paused;

  /** The outcome of a bind decides whether what follows it is protected. */
  private boolean isSettling;

  /** Begins with an anonymous session. */
  RequestOrder(
      Session session,
      SessionEnvironment environment,
      SessionAccount account,
      Admission admission,
      SessionOwnership custody) {
    this.session = session;
    this.environment = environment;
    this.account = account;
    this.admission = admission;
    this.custody = custody;
    this.transactions = new OpenTransactions(session.memory());
    this.charges = new RequestCharges(session.memory());
    this.requests = new OpenRequests(environment.router(), admission, charges);
  }

  /** Returns the mechanism by which the identity was proved; empty for anonymous. */
  String mechanism() {
    return mechanism;
  }

  /** Returns the identity with which an operation would run that started now. */
  BoundIdentity identity() {
    return identity;
  }

  /** The transactions that were started and are not settled. Any thread. */
  OpenTransactions transactions() {
    return transactions;
  }

  /** The operations that were started and have not ended. */
  List<Operation> running() {
    return requests.inFlight();
  }

  /** Returns the number of operations that were started and have not ended. */
  int inFlightCount() {
    return requests.inFlightCount();
  }

  /** Returns the number of requests that wait until they may start. */
  int deferredCount() {
    return requests.deferredCount();
  }

  /** Returns whether the session is over. */
  boolean isClosed() {
    return state == State.CLOSED;
  }

  /**
   * Returns whether another request may be decoded; after false, reading is resumed when it may.
   */
  boolean wantsRequests() {
    boolean wants =
        state != State.CLOSED
            && !isSettling
            && !admission.isTaken()
            && requests.deferredCount() < environment.limits().sessions().deferredPerConnection();
    paused = !wants;
    return wants;
  }

  /** Returns whether the next message may be followed by protected bytes. */
  boolean mayProtect() {
    return exchange != null && exchange.mayProtect();
  }

  /** Resumes reading when an operation ends, although another request may be decoded. */
  void awaitRoom() {
    paused = true;
  }

  /** Takes a request; see {@link Session#receive(Request, long, long, long)}. */
  void receive(Request request, long nowNanos, long tookNanos, long heldBytes) {
    charges.add(request, heldBytes);
    if (state == State.CLOSED) {
      charges.release(request);
      return;
    }
    account.receives(request, nowNanos, tookNanos);
    take(request);
    account.hasReceived();
  }

  private void take(Request request) {
    switch (request) {
      case Request.Unbind _ -> {
        int _ = account.starts(request);
        charges.release(request);
        unbind();
      }
      case Request.Abandon abandon -> {
        int _ = account.starts(request);
        charges.release(request);
        if (!RequestControl.anyCritical(abandon.controls())
            && requests.abandon(abandon.abandonedMessageId())) {
          goOn();
        }
      }
      case Request.Extended extended when environment.router().overtakes(extended) ->
          overtake(extended);
      case Request.Bind _ -> {
        abandonAll();
        isSettling = mayProtect();
        // A bind that was under way is abandoned with the rest and will establish no identity.
        state = State.ACTIVE;
        startInTurn(request);
      }
      default -> {
        if (!isRefused(request)) {
          startInTurn(request);
        }
      }
    }
  }

  /** Refuses a message id that is in use, which ends the connection. */
  private boolean isRefused(Request request) {
    int messageId = request.messageId();
    boolean inUse = requests.isInUse(messageId);
    if (inUse) {
      charges.release(request);
      disconnect(ResultCode.PROTOCOL_ERROR, "message id " + messageId + " is in use");
    }
    return inUse;
  }

  /** Starts a request when those before it have been started, which mostly is at once. */
  private void startInTurn(Request request) {
    boolean isNext = !starting && requests.deferredCount() == 0 && mayStart();
    if (!isNext) {
      requests.defer(request);
    }
    startDeferred(isNext ? request : null);
  }

  private void startDeferred(@Nullable Request beforeThem) {
    if (starting) {
      return;
    }
    starting = true;
    try {
      if (beforeThem != null) {
        start(beforeThem);
      }
      while (requests.deferredCount() > 0 && mayStart() && hasTurn()) {
        start(requests.takeDeferred());
      }
    } finally {
      starting = false;
    }
  }

  /** A worker that has the session delays no other connection, and refusals are soon done. */
  private boolean hasTurn() {
    return custody.isWorkers() || admission.refuses() || !session.connection().isTurnOver();
  }

  private boolean mayStart() {
    return state == State.ACTIVE
        && !admission.isTaken()
        && requests.inFlightCount() < mostInFlight();
  }

  private void start(Request request) {
    if (request instanceof Request.Bind) {
      state = State.BINDING;
      speakFor(BoundIdentity.ANONYMOUS);
    }
    Operation operation = open(request);
    if (request instanceof Request.Bind && exchange != null) {
      exchange.clientAnswered();
      operation.exchange(exchange);
      exchange = null;
    }
    if (admission.refuses()) {
      admission.refuse(operation);
    } else if (custody.isWorkers()) {
      startOnWorker(operation);
    } else {
      admission.dispatch(operation);
    }
  }

  /** A worker runs the first operation itself; the others are work under way that it submits. */
  private void startOnWorker(Operation operation) {
    if (!custody.keepAsOwn(operation)) {
      session.resume(operation);
    }
  }

  private Operation open(Request request) {
    Operation operation =
        new Operation(
            session,
            request,
            body(request),
            session.connection().openSink(request),
            identity,
            account.arrivalNanos(request),
            account.decodeNanos(request));
    requests.started(operation);
    operation.arrived();
    operation.number(account.starts(request));
    environment.metrics().operationsStarted().increment();
    return operation;
  }

  /** Between the messages of a bind there is only the next one (RFC 4511, section 4.2.1). */
  private OperationBody body(Request request) {
    return exchange == null || request instanceof Request.Bind ? routed(request) : BIND_IN_PROGRESS;
  }

  private OperationBody routed(Request request) {
    return session.mustChangePassword()
        ? environment.router().routeToChange(request)
        : environment.router().route(request);
  }

  /** Runs a request at once, past everything that waits. */
  private void overtake(Request request) {
    if (!isRefused(request)) {
      open(request).run(OVERTAKING);
    }
  }

  /** Cancels an operation; see {@link Session#cancel}. */
  boolean cancel(int messageId, @Nullable Operation cause) throws LdapOperationException {
    Request request = requests.cancel(messageId, cause);
    if (request == null) {
      return true;
    }
    Operation never = open(request);
    never.cancel(null);
    never.run(OVERTAKING);
    return false;
  }

  /** Ends what was begun, and forgets the identity; see {@link Session#becomeAnonymous}. */
  void becomeAnonymous() {
    if (state != State.CLOSED) {
      abandonAll();
      forgetExchange();
      isSettling = false;
      state = State.ACTIVE;
      speakFor(BoundIdentity.ANONYMOUS);
    }
  }

  private void forgetExchange() {
    BindExchange begun = exchange;
    exchange = null;
    if (begun != null) {
      begun.close();
    }
  }

  /**
   * Records the end of an operation: the identity that it has bound takes effect, and held-back
   * requests may start.
   */
  void completed(Operation operation) {
    requests.ended(operation);
    charges.release(operation.request());
    account.completed(operation);
    if (operation.hasChangedPassword() && !operation.isSilenced()) {
      // One from before the latest bind is silenced.
      session.requirePasswordChange(false);
    }
    BindExchange begun = operation.exchange();
    if (state == State.BINDING && !operation.isSilenced()) {
      begun = bindCompleted(operation, begun);
    }
    if (begun != null) {
      begun.close();
    }
    goOn();
  }

  /** Returns the exchange that has ended; null if there is none, or if it goes on. */
  private @Nullable BindExchange bindCompleted(Operation operation, @Nullable BindExchange begun) {
    if (!(operation.request() instanceof Request.Bind bind)) {
      return begun;
    }
    BoundIdentity established = operation.established();
    if (established == null) {
      speakFor(BoundIdentity.ANONYMOUS);
    } else {
      speakFor(established);
      String sasl = bind.saslMechanism();
      mechanism = sasl == null ? SIMPLE : sasl;
      session.requirePasswordChange(operation.mustChangePassword());
    }
    state = State.ACTIVE;
    isSettling = false;
    SecurityLayer layer = begun == null ? null : begun.takeLayer();
    if (layer != null) {
      session.connection().protect(layer);
    }
    if (begun == null || !begun.awaitsClient()) {
      return begun;
    }
    exchange = begun;
    return null;
  }

  private int mostInFlight() {
    int ofServer = environment.limits().sessions().inFlightPerConnection();
    int own = inFlightLimit;
    return own == 0 ? ofServer : Math.min(own, ofServer);
  }

  /**
   * Bounds the operations of the present identity that run at a time, from the next one on. Any
   * thread.
   *
   * @param most their number; 0 for the server's
   */
  void limitInFlight(int most) {
    if (inFlightLimit != most) {
      inFlightLimit = most;
    }
  }

  /** The connection's memory is held on behalf of its present identity. */
  private void speakFor(BoundIdentity whom) {
    identity = whom;
    session.requirePasswordChange(false);
    inFlightLimit = 0;
    mechanism = "";
    session.memory().belongTo(session.owner(whom));
  }

  /** Begins with an identity; see {@link Session#speakFor}. */
  void speakFor(BoundIdentity verified, String by) {
    speakFor(verified);
    mechanism = by;
  }

  /**
   * Starts the requests that may start now, and resumes reading the connection if it was paused.
   */
  void goOn() {
    if (state == State.CLOSED) {
      return;
    }
    startDeferred(null);
    // A thread that is starting operations checks again. So does the loop when a worker gives the
    // session back. Reading may lend the session: nothing is done with it afterwards.
    if (paused && !starting && !custody.isWorkers() && wantsRequests()) {
      session.connection().resumeReading();
    }
  }

  /** Wakes the operations that wait for the client to read. */
  void wake() {
    requests.wake();
  }

  /** Ends the operations that would go on for ever. */
  void stopEndless() {
    requests.stopEndless();
  }

  private void abandonAll() {
    requests.abandonAll();
    transactions.abortAll();
  }

  private void unbind() {
    close();
    disconnect(null);
  }

  /** Ends session and connection with a notice, unless the session is over. */
  void disconnect(ResultCode code, String message) {
    if (state == State.CLOSED) {
      return;
    }
    close();
    disconnect(LdapResult.of(code, message));
  }

  private void disconnect(@Nullable LdapResult notice) {
    if (custody.isWorkers()) {
      custody.endAfterwards(() -> session.connection().disconnect(notice));
    } else {
      session.connection().disconnect(notice);
    }
  }

  /** The session is over: everything ends without an answer. Idempotent. */
  void close() {
    if (state != State.CLOSED) {
      state = State.CLOSED;
      abandonAll();
      forgetExchange();
      session.memory().close();
      account.closed();
    }
  }
}
