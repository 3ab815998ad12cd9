package org.nyala.core.session;

import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.dispatch.ConnectionLoopHistory;
import org.nyala.core.dispatch.Task;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.metrics.ServerMetrics;
import org.nyala.core.rights.ClientFacts;
import org.nyala.core.rights.ClientRules;

/**
 * One client connection: its identity, and the calls that its wire, its operations and workers may
 * make, each on its own thread. {@code RequestOrder} determines the order in which requests start.
 *
 * <p>Confined to the channel's event loop, except for methods documented otherwise, and except for
 * a worker that has claimed it: see {@link #lend}.
 */
public final class Session {
  private final SessionEnvironment environment;
  private final ClientConnection connection;
  private final Object address;
  private final Admission admission;
  private final SessionAccount account;
  private final ConnectionLoopHistory loopHistory = new ConnectionLoopHistory();
  private final SessionOwnership custody = new SessionOwnership();
  private final MemoryAccount memory;
  private final RequestOrder order;
  private final KnownClient known;
  private volatile boolean mustChangePassword;
  private volatile boolean knowsChanges;
  private volatile long changesKnownNanos;

  /** Opens an anonymous session; on the connection's event loop. */
  public Session(SessionEnvironment environment, ClientConnection connection) {
    this.environment = environment;
    this.connection = connection;
    this.address = connection.address();
    this.admission = new Admission(environment);
    this.account = new SessionAccount(this, environment);
    this.memory = environment.memory().open(address);
    this.order = new RequestOrder(this, environment, account, admission, custody);
    this.known = new KnownClient(connection);
  }

  /** The connection's number. Any thread. */
  public int connectionNumber() {
    return connection.number();
  }

  /** The other end. Any thread. */
  public ClientConnection connection() {
    return connection;
  }

  /**
   * Returns the client's address, by its text; the same for all clients that have none, such as
   * those over a local socket of which the transport does not know the process. Any thread.
   */
  public Object source() {
    return address == connection ? "unknown" : address;
  }

  /** The server's counters. Any thread. */
  public ServerMetrics metrics() {
    return environment.metrics();
  }

  /** Returns the listener for what its client does. Any thread. */
  public SessionListener listener() {
    return environment.listener();
  }

  /** The clock of its operations, in nanoseconds. Any thread. */
  public LongSupplier nanoClock() {
    return environment.nanoClock();
  }

  /** Returns the account of the memory that the connection occupies in the server. Any thread. */
  public MemoryAccount memory() {
    return memory;
  }

  public BoundIdentity identity() {
    return order.identity();
  }

  /**
   * Takes on an identity that another server has verified, for a client of its own. Before the
   * first request.
   *
   * @param verified the identity
   * @param by the mechanism by which the client has bound there
   * @param isToChange true if it may change its password, and nothing else
   */
  public void speakFor(BoundIdentity verified, String by, boolean isToChange) {
    order.speakFor(verified, by);
    requirePasswordChange(isToChange);
  }

  /**
   * Returns the mechanism by which the client has bound: {@code simple}, that of SASL, or empty for
   * anonymous.
   */
  String mechanism() {
    return order.mechanism();
  }

  /**
   * Returns the facts about the client that access rules ask for. Any thread.
   *
   * @param as the identity that it acts as
   * @param mechanism the mechanism by which it has bound
   */
  public ClientFacts facts(BoundIdentity as, String mechanism) {
    return known.facts(as, mechanism);
  }

  /**
   * Returns the rules that were kept for a client with these facts; null if others were. Any
   * thread.
   */
  @Nullable ClientRules rulesFor(ClientFacts facts) {
    return known.rulesFor(facts);
  }

  /**
   * Bounds the operations of the present identity that run at a time, from the next one on. Any
   * thread.
   *
   * @param most their number; 0 for the server's
   */
  public void limitInFlight(int most) {
    order.limitInFlight(most);
  }

  /** Returns whether the client may change its password, and nothing else. Any thread. */
  public boolean mustChangePassword() {
    return mustChangePassword;
  }

  /** Lets the client change its password and nothing else, or everything again. */
  public void requirePasswordChange(boolean isRequired) {
    mustChangePassword = isRequired;
  }

  /**
   * Records that the client is about to be told of a change that is in the store: an answer to its
   * own, or a notification of another's. Any thread.
   */
  public void tellsChange() {
    changesKnownNanos = environment.nanoClock().getAsLong();
    knowsChanges = true;
  }

  /**
   * Returns whether a state of the store has all changes of which the client was told. Any thread.
   *
   * @param stateNanos a time before that state was read, in nanoseconds of {@link #nanoClock}
   */
  public boolean knowsNoChangeAfter(long stateNanos) {
    return !knowsChanges || stateNanos - changesKnownNanos >= 0;
  }

  /** Keeps the rules for a client with these facts. Any thread. */
  void keepRules(ClientFacts facts, ClientRules rules) {
    known.keep(facts, rules);
  }

  /** The transactions that were started and are not settled. Any thread. */
  public OpenTransactions transactions() {
    return order.transactions();
  }

  /**
   * Returns the owner on whose account an identity's operations run: the identity itself, or the
   * address of anonymous clients, one of which may open any number of connections.
   */
  public Object owner(BoundIdentity of) {
    return of.isAnonymous() ? address : of;
  }

  /** Returns the owner on whose account the session's next operation runs. */
  public Object owner() {
    return owner(identity());
  }

  /** Returns the history of the session's operations on the event loop. */
  public ConnectionLoopHistory loopHistory() {
    return loopHistory;
  }

  /**
   * Returns the present activity. Any thread; for other threads than the loop, parts may be
   * slightly out of date.
   */
  public SessionStatus status() {
    return account.status(order.inFlightCount(), order.deferredCount());
  }

  /** The operations that were started and have not ended. */
  public List<Operation> running() {
    return order.running();
  }

  /** Returns the number of operations that were started and have not ended. */
  public int inFlightCount() {
    return order.inFlightCount();
  }

  /**
   * Returns the number of requests that were received and are not answered, including those that
   * have yet to start.
   */
  public int openCount() {
    return order.inFlightCount() + order.deferredCount();
  }

  /** Returns whether the client has more than one unanswered request. */
  public boolean isPipelined() {
    return openCount() > 1 || connection.hasUndecoded();
  }

  /**
   * Returns whether the next request may be decoded; after false, {@link
   * ClientConnection#resumeReading()} is called when it may.
   */
  public boolean wantsRequests() {
    return order.wantsRequests();
  }

  /**
   * Returns whether the next message may end a bind that protects the connection: it is decoded
   * alone, because what is behind it may be protected.
   */
  public boolean mayProtect() {
    return order.mayProtect();
  }

  /** Returns the number of requests that have yet to start. */
  public int deferredCount() {
    return order.deferredCount();
  }

  /**
   * Returns whether there is memory for further requests. After false, {@link
   * ClientConnection#resumeReading()} is called when something has ended that held some.
   */
  public boolean hasRoom() {
    boolean room = memory.hasRoom();
    if (!room) {
      order.awaitRoom();
    }
    return room;
  }

  /** Resumes reading when an operation has ended, as for {@link #hasRoom}. */
  public void awaitRoom() {
    order.awaitRoom();
  }

  /** Takes a request that came in no time. */
  public void receive(Request request) {
    receive(request, environment.nanoClock().getAsLong(), 0);
  }

  /**
   * Receives a request.
   *
   * @param nowNanos the present time, on the clock that times operations
   * @param tookNanos the time taken to decode it
   */
  public void receive(Request request, long nowNanos, long tookNanos) {
    receive(request, nowNanos, tookNanos, 0);
  }

  /**
   * Takes a request for which memory was taken.
   *
   * @param heldBytes of {@link #memory}, which are given back when it has ended
   */
  public void receive(Request request, long nowNanos, long tookNanos, long heldBytes) {
    order.receive(request, nowNanos, tookNanos, heldBytes);
  }

  /**
   * Answers {@code busy} to an operation that has waited too long for a permit, and to the requests
   * behind it: the connection was not read meanwhile, so none of them has waited much less. On the
   * event loop, now and then.
   */
  public void refuseOverdue() {
    Operation operation = admission.overdue();
    if (operation != null && admission.withdraw(operation)) {
      refuseWhile(() -> admission.refuse(operation));
    }
  }

  /**
   * Returns whether an operation that has waited for a permit since the given time has waited too
   * long.
   */
  public boolean isOverdue(long sinceNanos) {
    return admission.isOverdue(sinceNanos);
  }

  /** Answers {@code busy} to the operations that {@code work} starts. On the event loop. */
  public void refuseWhile(Runnable work) {
    admission.refuseWhile(work);
  }

  /**
   * Lends the session to the worker that is to decode the connection's next requests, until {@link
   * #takeBack}. Until then only {@link #completed}, {@link #writable}, {@link #drain} and {@link
   * #closed} may be called, and the methods that any thread may call; they take the session back
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
   * @return false if the event loop has it again, which has to take the requests then
   */
  public boolean claim() {
    return custody.claim();
  }

  /**
   * The first operation that was started since the session was claimed, which the worker has to
   * run; null if none was. On the worker, before it gives the session back.
   */
  public @Nullable Operation takeOwn() {
    return custody.takeOwn();
  }

  /**
   * Takes the session back on the event loop, claimed or not, and does the work that had to wait
   * for it.
   */
  public void takeBack() {
    custody.takeBack();
  }

  /**
   * Cancels the operation of a message id (RFC 3909): it ends with {@code canceled}, unless its
   * answer is on the way already. On the event loop.
   *
   * @param messageId the operation's
   * @param cause parked by the caller if this returns true; is finished, with success or tooLate,
   *     when the other operation has ended
   * @return false if there is nothing to wait for: success
   * @throws LdapOperationException noSuchOperation or cannotCancel
   */
  public boolean cancel(int messageId, @Nullable Operation cause) throws LdapOperationException {
    return order.cancel(messageId, cause);
  }

  /**
   * Makes the session anonymous: a bind with invalid content has failed like any other (RFC 4511,
   * section 4.2.1).
   *
   * @param answer the answer to it
   */
  public void bindMalformed(LdapResult answer) {
    order.becomeAnonymous();
    environment.listener().bindMalformed(this, answer);
  }

  /**
   * Makes the session anonymous and abandons what it has begun: the connection is encrypted from
   * now on (RFC 4511, section 4.14).
   */
  public void becomeAnonymous() {
    order.becomeAnonymous();
  }

  /** A waiting operation got its permit. Any thread. */
  public void admitted(Operation operation) {
    connection.execute(
        () ->
            whenOurs(
                () -> {
                  admission.granted(operation);
                  order.goOn();
                }));
  }

  /** Ends an operation that has made way for another, if it waits for a slow hash. Any thread. */
  void displaced(Operation operation) {
    try {
      connection.executeLater(() -> whenOurs(() -> admission.displaced(operation)));
    } catch (RejectedExecutionException e) {
      // The loop has ended, and the connection with it: the operation ends in its turn.
    }
  }

  /** The operations that wait for a slow hash. Any thread. */
  HashQueue hashes() {
    return environment.hashes();
  }

  /** Runs {@code work} now, or when a worker has given the session back; on the event loop. */
  public void whenOurs(Runnable work) {
    if (custody.isLoops()) {
      work.run();
    } else {
      custody.holdBack(work);
    }
  }

  /** Runs {@code work} on the connection's event loop, after its current work. Any thread. */
  public void executeLater(Runnable work) {
    connection.executeLater(work);
  }

  /**
   * Dispatches an operation again that waited for the client, or a task of the server's own. Any
   * thread.
   */
  public void resume(Task task) {
    environment.strategy().get().resume(task);
  }

  /** An operation ended; on the event loop. */
  public void completed(Operation operation) {
    if (!custody.isLoops()) {
      custody.holdBack(() -> completed(operation));
      return;
    }
    order.completed(operation);
    // The last thing: the session may be lent again by now.
    Operation canceler = operation.canceler();
    if (canceler != null) {
      canceler.finish(
          LdapResult.of(operation.endedCanceled() ? ResultCode.SUCCESS : ResultCode.TOO_LATE));
    }
  }

  /**
   * Sends the client an unsolicited notification (RFC 4511, section 4.4). Any thread.
   *
   * @param result the result in it
   * @param oid its identifier
   * @param value its value, or null
   */
  public void sendNotice(LdapResult result, String oid, byte @Nullable [] value) {
    connection.execute(
        () ->
            whenOurs(
                () -> {
                  if (!order.isClosed()) {
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
    order.wake();
  }

  /** Begins another turn of the connection on the event loop: held-back requests start. */
  public void goOn() {
    if (custody.isLoops()) {
      order.goOn();
    } else {
      custody.holdBack(this::goOn);
    }
  }

  /** An operation can neither be carried out nor answered: the connection ends. Any thread. */
  public void abort() {
    connection.execute(() -> whenOurs(() -> order.disconnect(ResultCode.OTHER, "internal error")));
  }

  /** Ends endless operations because the server is about to stop. On the event loop. */
  public void drain() {
    whenOurs(order::stopEndless);
  }

  /** The connection is gone: everything that it started ends without an answer. Idempotent. */
  public void closed() {
    whenOurs(order::close);
  }
}
