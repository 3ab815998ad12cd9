package org.nyala.netty;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dispatch.DispatchStrategy;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.session.Session;
import org.nyala.netty.codec.RequestDecoderPool;

/**
 * What workers decode for one connection: the burst that one has or that waits for one, and what
 * came back decoded and was not taken yet. While a worker decodes, the session is lent: of what it
 * says that only its holder may call, nothing is called here.
 *
 * <p>Confined to the channel's event loop.
 */
final class WorkerDecoding {
  /** What is to be refused is not run. */
  private static final SliceBudget REFUSED_BURST = new SliceBudget(1, 1);

  private final ConnectionHandler connection;
  private final Session session;
  private final RequestDecoderPool decoders;
  private @Nullable ArrayDeque<Object> decoded;
  private long eachNanos;
  private boolean isUnderWay;
  private @Nullable WaitingBurst waiting;

  /** A burst that waits for a permit, where, and since when. */
  private record WaitingBurst(DispatchStrategy strategy, DecodeTask task, long sinceNanos) {
    boolean withdraw() {
      return strategy.withdraw(task);
    }
  }

  /** Prepares for the bursts of a connection, of which there may never be one. */
  WorkerDecoding(ConnectionHandler connection, Session session, RequestDecoderPool decoders) {
    this.connection = connection;
    this.session = session;
    this.decoders = decoders;
  }

  /** Whether a burst is being decoded, or waits for it: the session is lent. */
  boolean isUnderWay() {
    return isUnderWay;
  }

  /** Whether a burst waits for a permit. */
  boolean isWaiting() {
    return waiting != null;
  }

  /** Dispatches a burst of whole messages, which is taken over; none may be under way. */
  void dispatch(DispatchStrategy strategy, MessageBurst burst, long nowNanos) {
    isUnderWay = true;
    DecodeTask task = new DecodeTask(connection, session, decoders, burst);
    session.lend();
    waiting = new WaitingBurst(strategy, task, nowNanos);
    if (strategy.dispatch(task)) {
      waiting = null;
    }
  }

  /**
   * Takes over the requests of the burst that its worker has not started; it is under way no more.
   *
   * @param decodeNanos how long it took to decode one
   */
  void takeBack(ArrayDeque<Object> requests, long decodeNanos) {
    isUnderWay = false;
    waiting = null;
    eachNanos = decodeNanos;
    // Of the burst before it nothing is left: no other one is dispatched until it is taken.
    decoded = requests.isEmpty() ? null : requests;
  }

  /** The next request or malformed one that came back; null when there is none. */
  @Nullable Object poll() {
    ArrayDeque<Object> rest = decoded;
    if (rest == null) {
      return null;
    }
    Object next = rest.poll();
    if (rest.isEmpty()) {
      decoded = null;
    }
    return next;
  }

  /** How long it took to decode each of those that came back. */
  long eachNanos() {
    return eachNanos;
  }

  /** Forgets what came back. */
  void forget() {
    ArrayDeque<Object> rest = decoded;
    if (rest != null) {
      HeldMessage.release(rest, session.memory());
    }
    decoded = null;
  }

  /**
   * Answers busy to a burst that no worker has taken for too long, and to what waits behind one.
   */
  void refuseOverdue() {
    WaitingBurst burst = waiting;
    if (burst == null) {
      session.refuseOverdue();
    } else if (session.isOverdue(burst.sinceNanos()) && burst.withdraw()) {
      session.refuseWhile(() -> burst.task().runHere(REFUSED_BURST));
    }
  }

  /** Takes back the burst that waits, if one does, and discards it: the connection has ended. */
  void discardWaiting() {
    WaitingBurst burst = waiting;
    if (burst != null && burst.withdraw()) {
      burst.task().discard();
    }
  }
}
