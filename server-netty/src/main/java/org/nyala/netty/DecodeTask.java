package org.nyala.netty;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dispatch.OperationClass;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task;
import org.nyala.core.operation.Operation;
import org.nyala.core.operation.Request;
import org.nyala.core.session.Session;

/**
 * A burst of whole messages that a worker decodes, so that the event loop need not, and the first
 * operation of the burst.
 *
 * <p>The worker starts the requests itself where the event loop has no need of the session: it runs
 * the first one, as part of this task, and submits the others before that. Otherwise the event loop
 * starts them.
 *
 * <p>Confined to one running operation: it owns its bytes from dispatch to the end of its first
 * slice.
 */
final class DecodeTask implements Task {
  private final ConnectionHandler connection;
  private final Session session;
  private final RequestDecoderPool decoders;
  private final ByteBuf burst;
  private final Object owner;
  private final ArrayDeque<Object> decoded = new ArrayDeque<>();
  private boolean isDecoded;
  private long eachNanos;
  private @Nullable Operation own;

  /** Creates the task and takes over {@code burst}; {@code session} is lent. */
  DecodeTask(
      ConnectionHandler connection, Session session, RequestDecoderPool decoders, ByteBuf burst) {
    this.connection = connection;
    this.session = session;
    this.decoders = decoders;
    this.burst = burst;
    this.owner = session.owner();
  }

  /** Takes back the burst of a connection that has ended, instead of a run. */
  void discard() {
    burst.release();
    connection.decoded(decoded, 0);
  }

  @Override
  public Outcome run(SliceBudget budget) {
    if (!isDecoded) {
      isDecoded = true;
      takeBurst();
    }
    return own == null ? Outcome.DONE : own.run(budget);
  }

  private void takeBurst() {
    try {
      decode();
      if (!connection.isOnLoop() && session.claim()) {
        startOperations();
      }
    } catch (Throwable e) {
      connection.failLater(e);
    } finally {
      connection.decoded(decoded, eachNanos);
    }
  }

  private void decode() {
    RequestDecoder decoder = decoders.take();
    LongSupplier nanoClock = session.nanoClock();
    long begunNanos = nanoClock.getAsLong();
    try {
      while (burst.isReadable()) {
        int length = LdapFraming.messageLength(burst, Integer.MAX_VALUE);
        Request request = decoder.decode(burst, burst.readerIndex(), length);
        decoded.add(request != null ? request : decoder.problem());
        burst.skipBytes(length);
      }
      eachNanos = (nanoClock.getAsLong() - begunNanos) / Math.max(1, decoded.size());
    } finally {
      decoders.giveBack(decoder);
      burst.release();
    }
  }

  /** What is malformed, and what the session wants later, is left to the event loop. */
  private void startOperations() {
    try {
      while (decoded.peekFirst() instanceof Request request
          && connection.isWritable()
          && session.wantsRequests()) {
        decoded.removeFirst();
        session.receive(request, session.nanoClock().getAsLong(), eachNanos);
      }
    } finally {
      own = session.takeOwn();
    }
  }

  @Override
  public Lane lane() {
    return own == null ? Lane.READ : own.lane();
  }

  @Override
  public OperationClass operationClass() {
    return OperationClass.DECODE;
  }

  @Override
  public void continueOnLoop(Runnable continuation) {
    connection.executeLater(continuation);
  }

  @Override
  public int connectionNumber() {
    return connection.number();
  }

  /** Whoever the connection speaks for when it sends the burst. */
  @Override
  public Object owner() {
    return owner;
  }

  /** The connection reads again when the burst is decoded. */
  @Override
  public void admitted() {}
}
