package org.nyala.netty;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import org.nyala.core.dispatch.OperationClass;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task;
import org.nyala.core.operation.Request;

/**
 * A burst of whole messages that a worker decodes, so that the event loop need not.
 *
 * <p>Confined to one running operation: it owns its bytes from dispatch to the end of its one
 * slice.
 */
final class DecodeTask implements Task {
  private final ConnectionHandler connection;
  private final RequestDecoderPool decoders;
  private final ByteBuf burst;

  /** Creates the task and takes over {@code burst}. */
  DecodeTask(ConnectionHandler connection, RequestDecoderPool decoders, ByteBuf burst) {
    this.connection = connection;
    this.decoders = decoders;
    this.burst = burst;
  }

  @Override
  public Outcome run(SliceBudget budget) {
    ArrayDeque<Object> decoded = new ArrayDeque<>();
    RequestDecoder decoder = decoders.take();
    try {
      while (burst.isReadable()) {
        int length = LdapFraming.messageLength(burst, Integer.MAX_VALUE);
        Request request = decoder.decode(burst, burst.readerIndex(), length);
        decoded.add(request != null ? request : decoder.problem());
        burst.skipBytes(length);
      }
    } finally {
      decoders.giveBack(decoder);
      burst.release();
      connection.decoded(decoded);
    }
    return Outcome.DONE;
  }

  @Override
  public Lane lane() {
    return Lane.READ;
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

  /** The connection does not read until the burst is decoded, permit or not. */
  @Override
  public void admitted() {}
}
