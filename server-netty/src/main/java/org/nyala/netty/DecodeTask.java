package org.nyala.netty;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.ThreadAllocation;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationClass;
import org.nyala.core.session.Session;
import org.nyala.netty.codec.LdapFraming;
import org.nyala.netty.codec.RequestDecoder;
import org.nyala.netty.codec.RequestDecoderPool;
import org.nyala.netty.codec.RequestFootprint;

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
   * The size from which a burst is not decoded on an event loop if that can be avoided: a filter of
   * that size takes hundreds of microseconds. Workers take it by turns of owners.
   */
  static final int LARGE_BYTES = 16 * 1024;

  /** The size from which a message is worth a reading of what its decoding has allocated. */
  private static final int MEASURED_BYTES = 4 * 1024;

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

  /**
   * Returns the bytes that the thread has allocated before it decodes a message, for {@link
   * #endsForMemory}.
   */
  static long allocatedBefore(int length) {
    return length >= MEASURED_BYTES ? ThreadAllocation.bytes() : 0;
  }

  /**
   * Ends a connection, soon, if decoding its message has allocated more than an operation may. That
   * was charged before, so this is a net for what the charge does not know.
   */
  static boolean endsForMemory(ConnectionHandler connection, int length, long before) {
    if (length < MEASURED_BYTES) {
      return false;
    }
    long allocated = ThreadAllocation.bytes() - before;
    MemoryAccount memory = connection.session().memory();
    boolean isTooMuch = !memory.mayAllocate(allocated);
    if (isTooMuch) {
      memory.operationEnded(
          () -> "a message of " + length + " bytes, decoded", connection.number(), allocated);
      connection.endLater(
          LdapResult.of(ResultCode.ADMIN_LIMIT_EXCEEDED, "the message takes too much memory"));
    }
    return isTooMuch;
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
    // Whatever fails, for want of memory too, gives back what was taken for the burst.
    try {
      RequestDecoder decoder = decoders.take();
      try {
        decode(decoder);
      } finally {
        decoders.giveBack(decoder);
      }
    } finally {
      burst.release(session.memory());
    }
  }

  private void decode(RequestDecoder decoder) {
    LongSupplier nanoClock = session.nanoClock();
    ByteBuf bytes = burst.bytes();
    long begunNanos = nanoClock.getAsLong();
    while (bytes.isReadable()) {
      int length = LdapFraming.messageLength(bytes, Integer.MAX_VALUE);
      long allocated = allocatedBefore(length);
      int elements = RequestFootprint.elements(length, burst.heldByNext());
      Request request = decoder.decode(bytes, bytes.readerIndex(), length, elements);
      if (endsForMemory(connection, length, allocated)) {
        break;
      }
      decoded.add(burst.pass(request != null ? request : decoder.problem()));
      bytes.skipBytes(length);
    }
    eachNanos = (nanoClock.getAsLong() - begunNanos) / Math.max(1, decoded.size());
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
  public int costClass() {
    return OperationClass.DECODE.number();
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

  @Override
  public boolean isDue() {
    return own != null && own.isDue();
  }

  @Override
  public boolean standsFor(Task other) {
    return other == this || other == own;
  }

  /** The connection reads again when the burst is decoded. */
  @Override
  public void admitted() {}
}
