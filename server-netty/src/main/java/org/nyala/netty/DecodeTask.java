package org.nyala.netty;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dispatch.OperationClass;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task;
import org.nyala.core.message.Request;
import org.nyala.core.session.Operation;
import org.nyala.core.session.Session;
import org.nyala.netty.codec.LdapFraming;
import org.nyala.netty.codec.RequestDecoder;
import org.nyala.netty.codec.RequestDecoderPool;

/**
 * A burst of whole messages that a worker decodes, so that the event loop need not, and the first
 * operation of the burst.
 *
 * <p>The worker starts the requests itself if the event loop does not need the session: it runs the
 * first one, as part of this task, and submits the others before that. Otherwise the event loop
 * starts them.
 *
 * <p>Confined to one running operation: it owns its bytes from dispatch to the end of its first
 * slice.
 */
final class DecodeTask implements Task {
  /**
   * The size from which a burst is not decoded on an event loop if that can be avoided, because it
   * takes a while.
   */
  static final int LARGE_BYTES = 64 * 1024;

  private final ConnectionHandler connection;
  private final Session session;
  private final RequestDecoderPool decoders;
  private final MessageBurst burst;
  private final Object owner;
  private final ArrayDeque<Object> decoded = new ArrayDeque<>();
  private boolean mayYield;
  private boolean isDecoded;
  private long eachNanos;
  private @Nullable Operation own;

  /** Creates the task and takes over {@code burst}; {@code session} is lent. */
  DecodeTask(
      ConnectionHandler connection,
      Session session,
      RequestDecoderPool decoders,
      MessageBurst burst) {
    this.connection = connection;
    this.session = session;
    this.decoders = decoders;
    this.burst = burst;
    this.mayYield = burst.bytes().readableBytes() >= LARGE_BYTES;
    this.owner = session.owner();
  }

  /** Takes back the burst of a connection that has ended, instead of a run. */
  void discard() {
    burst.release(session.memory());
    connection.decoded(decoded, 0);
  }

  @Override
  public Outcome run(SliceBudget budget) {
    if (mayYield && connection.loop().inEventLoop()) {
      // Other work of the loop goes first, and if there are workers, one of them decodes the burst.
      mayYield = false;
      return Outcome.YIELDED;
    }
    return runHere(budget);
  }

  /** Runs the first slice on the calling thread unconditionally. */
  Outcome runHere(SliceBudget budget) {
    if (!isDecoded) {
      isDecoded = true;
      takeBurst();
    }
    return own == null ? Outcome.DONE : own.run(budget);
  }

  private void takeBurst() {
    try {
      decode();
      if (!connection.loop().inEventLoop() && session.claim()) {
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
    ByteBuf bytes = burst.bytes();
    long begunNanos = nanoClock.getAsLong();
    try {
      while (bytes.isReadable()) {
        int length = LdapFraming.messageLength(bytes, Integer.MAX_VALUE);
        Request request = decoder.decode(bytes, bytes.readerIndex(), length);
        decoded.add(burst.pass(request != null ? request : decoder.problem()));
        bytes.skipBytes(length);
      }
      eachNanos = (nanoClock.getAsLong() - begunNanos) / Math.max(1, decoded.size());
    } finally {
      decoders.giveBack(decoder);
      burst.release(session.memory());
    }
  }

  /** Leaves malformed requests, and those that the session wants later, to the event loop. */
  private void startOperations() {
    try {
      while (nextRequest() instanceof Request request
          && connection.isWritable()
          && session.wantsRequests()) {
        long held = HeldMessage.heldBytes(decoded.removeFirst());
        session.receive(request, session.nanoClock().getAsLong(), eachNanos, held);
      }
    } finally {
      own = session.takeOwn();
    }
  }

  private @Nullable Object nextRequest() {
    Object first = decoded.peekFirst();
    return first == null ? null : HeldMessage.decoded(first);
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

  /** Returns the owner that the connection had when it sent the burst. */
  @Override
  public Object owner() {
    return owner;
  }

  /** The connection reads again when the burst is decoded. */
  @Override
  public void admitted() {}
}
