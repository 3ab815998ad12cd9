package org.nyala.netty;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dispatch.DispatchStrategy;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.session.Session;
import org.nyala.netty.codec.RequestDecoderPool;

/**
 * The decoding of one connection's requests by workers: the burst that a worker decodes or that
 * waits for one, and the decoded requests that came back and were not taken yet. While a worker
 * decodes, the session is lent: its methods that only the holder may call are not called here.
 *
 * <p>Confined to the channel's event loop.
 */
final class WorkerDecoding {
  /** Requests that are to be refused get no time to run. */
  private static final SliceBudget REFUSED_BURST = new SliceBudget(1, 1);

  private final ConnectionHandler connection;
  private final Session session;
  private final RequestDecoderPool decoders;
  private @Nullable ArrayDeque<Object> decoded;
  private long eachNanos;
  private boolean isUnderWay;
  private @Nullable WaitingBurst waiting;

  /**
   * A burst that waits for a permit, with the strategy that it waits at and the time since when.
   */
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

  /** Returns whether a burst is being decoded, or waits for it: the session is lent. */
  boolean isUnderWay() {
    return isUnderWay;
  }

  /** Returns whether a burst waits for a permit. */
  boolean isWaiting() {
    return waiting != null;
  }

  /** Dispatches a burst of whole messages, which is taken over; none may be in progress. */
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
   * Takes over the requests of the burst that its worker has not started; the burst is not in
   * progress any more.
   *
   * @param decodeNanos the time it took to decode one
   */
  void takeBack(ArrayDeque<Object> requests, long decodeNanos) {
    isUnderWay = false;
    waiting = null;
    eachNanos = decodeNanos;
    // The burst before it is used up: another one is dispatched only after it was taken.
    decoded = requests.isEmpty() ? null : requests;
  }

  /** Returns the next request, or malformed one, that came back; null if there is none. */
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

  /** Returns whether requests came back that were not taken. */
  boolean hasDecoded() {
    return decoded != null;
  }

  /** Returns the time it took to decode each of the requests that came back. */
  long eachNanos() {
    return eachNanos;
  }

  /** Discards the requests that came back. */
  void forget() {
    ArrayDeque<Object> rest = decoded;
    if (rest != null) {
      HeldMessage.release(rest, session.memory());
    }
    decoded = null;
  }

  /**
   * Answers busy to a burst that no worker has taken for too long, and to operations that wait for
   * too long.
   */
  void refuseOverdue() {
    WaitingBurst burst = waiting;
    if (burst == null) {
      session.refuseOverdue();
    } else if (session.isOverdue(burst.sinceNanos()) && burst.withdraw()) {
      session.refuseWhile(() -> burst.task().runHere(REFUSED_BURST));
    }
  }

  /**
   * Takes back the waiting burst, if there is one, and discards it, because the connection has
   * ended.
   */
  void discardWaiting() {
    WaitingBurst burst = waiting;
    if (burst != null && burst.withdraw()) {
      burst.task().discard();
    }
  }
}
