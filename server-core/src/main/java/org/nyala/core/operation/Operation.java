package org.nyala.core.operation;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task;
import org.nyala.core.session.Session;

/**
 * One request on its way to its answer: runs its body in slices, waits for slow clients without a
 * thread, ends exactly once.
 *
 * <p>Confined to one running operation, but for {@link #abandon()}, {@link #wake()} and {@link
 * #admitted()}, which any thread may call.
 */
public final class Operation implements Task {
  private static final System.Logger LOG = System.getLogger(Operation.class.getName());

  private final Session session;
  private final Request request;
  private final OperationBody body;
  private final ResponseSink sink;
  private final BoundIdentity identity;
  private final long arrivalNanos;
  private final AtomicBoolean awaitingClient = new AtomicBoolean();
  private Lane lane = Lane.READ;
  private @Nullable BoundIdentity established;
  private volatile boolean abandoned;

  /**
   * Creates an operation that runs with the session's identity of this moment (slapd: at
   * activation).
   */
  public Operation(
      Session session,
      Request request,
      OperationBody body,
      ResponseSink sink,
      BoundIdentity identity,
      long arrivalNanos) {
    this.session = session;
    this.request = request;
    this.body = body;
    this.sink = sink;
    this.identity = identity;
    this.arrivalNanos = arrivalNanos;
  }

  /** What was asked. */
  public Request request() {
    return request;
  }

  /** Where answers go. */
  public ResponseSink sink() {
    return sink;
  }

  /** On whose behalf it runs. */
  public BoundIdentity identity() {
    return identity;
  }

  /** The session that it belongs to. */
  public Session session() {
    return session;
  }

  /** When the request was decoded, on the server's nanosecond clock. */
  public long arrivalNanos() {
    return arrivalNanos;
  }

  /** Whether nobody wants the answer any more; bodies look at it between entries. */
  public boolean isAbandoned() {
    return abandoned;
  }

  /** The identity that a successful bind established, or null. */
  public @Nullable BoundIdentity established() {
    return established;
  }

  /** Notes the identity that the session takes on when this bind ends. */
  public void establish(BoundIdentity bound) {
    established = bound;
  }

  /** Says where the next slice should run; the body then answers {@link Outcome#YIELDED}. */
  public void moveTo(Lane next) {
    lane = next;
  }

  @Override
  public Lane lane() {
    return lane;
  }

  @Override
  public int connectionNumber() {
    return session.connectionNumber();
  }

  @Override
  public void admitted() {
    session.admitted(this);
  }

  /** Suppresses what is still to be answered; a waiting operation is woken to end. Any thread. */
  public void abandon() {
    abandoned = true;
    wake();
  }

  /** Goes on when it waited for the client. Any thread; without effect otherwise. */
  public void wake() {
    if ((abandoned || sink.isWritable()) && awaitingClient.compareAndSet(true, false)) {
      session.resume(this);
    }
  }

  @Override
  public Outcome run(SliceBudget budget) {
    Outcome outcome = abandoned ? Outcome.DONE : runBody(budget);
    if (abandoned) {
      outcome = Outcome.DONE;
    }
    return switch (outcome) {
      case DONE -> end();
      case YIELDED -> outcome;
      case AWAITING_CLIENT -> await();
    };
  }

  private Outcome end() {
    sink.flush(this::ended);
    return Outcome.DONE;
  }

  private void ended() {
    session.completed(this);
  }

  /**
   * Hands over what there is and waits. The order matters: whoever makes room after the flag is set
   * wakes the operation, and room made before is seen by the second look.
   */
  private Outcome await() {
    sink.flush(this::wake);
    awaitingClient.set(true);
    boolean goOn = abandoned || sink.isWritable();
    return goOn && awaitingClient.compareAndSet(true, false)
        ? Outcome.YIELDED
        : Outcome.AWAITING_CLIENT;
  }

  private Outcome runBody(SliceBudget budget) {
    try {
      return body.run(this, budget);
    } catch (LdapOperationException e) {
      sink.result(request, e.result());
      return Outcome.DONE;
    } catch (RuntimeException | StackOverflowError e) {
      LOG.log(
          System.Logger.Level.ERROR, "internal error in " + request.getClass().getSimpleName(), e);
      session.metrics().internalErrors().increment();
      sink.result(request, LdapResult.of(ResultCode.OTHER, "internal error"));
      return Outcome.DONE;
    }
  }
}
