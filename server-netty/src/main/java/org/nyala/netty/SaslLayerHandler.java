package org.nyala.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.io.IOException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.sasl.SecurityLayer;
import org.nyala.core.sasl.SecurityLayerException;
import org.nyala.netty.tls.PartialInput;

/**
 * Wraps what a connection sends and unwraps what it receives (RFC 4422, section 3.7): each buffer
 * has its length in four octets in front.
 *
 * <p>Confined to the channel's event loop.
 */
final class SaslLayerHandler extends ChannelDuplexHandler {
  /*
   * A buffer takes some tens of microseconds, however short it is, and its connection shares the
   * event loop with others: after some of them the rest waits for another turn, and so it does while
   * the connection is not to be read. Until then nothing more is read from the socket.
   */
  private static final int TURN_BUFFERS = 32;

  /** The bytes after which the rest waits as well. */
  private static final int TURN_BYTES = 128 << 10;

  private static final int HEADER_BYTES = 4;

  private final SecurityLayer layer;
  private final MemoryAccount memory;
  private final PartialInput partial;
  private final Consumer<String> failure;
  private ByteBuf received;
  private long unwrapped;
  private boolean isAwaitingTurn;
  private boolean isReadHeld;
  private boolean isBroken;

  /**
   * Prepares to protect a channel.
   *
   * @param received what the client has sent that was not decoded; taken over
   * @param memory the account charged for the layer and for what has come of a buffer
   * @param timeoutMillis the time for which it may be in part; 0 is for ever
   * @param failure ends the connection, for a reason
   */
  SaslLayerHandler(
      SecurityLayer layer,
      ByteBuf received,
      MemoryAccount memory,
      LongSupplier timeoutMillis,
      Consumer<String> failure) {
    this.layer = layer;
    this.received = received;
    this.memory = memory;
    this.partial = new PartialInput(memory, timeoutMillis);
    this.failure = failure;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    memory.change(0, layer.heldBytes());
    if (received.isReadable()) {
      awaitTurn(context);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    if (isBroken) {
      bytes.release();
      return;
    }
    received = ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(context.alloc(), received, bytes);
    if (!isAwaitingTurn) {
      unwrapSome(context);
    }
  }

  private void unwrapSome(ChannelHandlerContext context) {
    int before = received.readableBytes();
    for (int left = TURN_BUFFERS; hasWhole() && isReading(context); left--) {
      if (left == 0 || before - received.readableBytes() > TURN_BYTES) {
        awaitTurn(context);
        break;
      }
      unwrapNext(context);
    }
    if (received.isReadable()) {
      // Otherwise the buffer grows by all that ever comes, as long as it never ends with a whole
      // one.
      received.discardSomeReadBytes();
    } else {
      drop();
    }
  }

  private static boolean isReading(ChannelHandlerContext context) {
    return context.channel().config().isAutoRead();
  }

  /** Returns whether a whole buffer has come; ends the connection if it would be too long. */
  private boolean hasWhole() {
    if (isBroken || received.readableBytes() < HEADER_BYTES) {
      return false;
    }
    int length = received.getInt(received.readerIndex());
    if (length < 0 || length > layer.mostReceived()) {
      fail("a wrapped buffer is longer than was agreed upon, or not wrapped at all");
      return false;
    }
    return received.readableBytes() >= HEADER_BYTES + length;
  }

  private void unwrapNext(ChannelHandlerContext context) {
    byte[] wrapped = new byte[received.readInt()];
    received.readBytes(wrapped);
    byte[] bytes;
    try {
      bytes = layer.unwrap(wrapped);
    } catch (SecurityLayerException e) {
      fail("a wrapped buffer is refused: " + e.getMessage());
      return;
    }
    unwrapped++;
    if (bytes.length > 0) {
      context.fireChannelRead(Unpooled.wrappedBuffer(bytes));
    }
  }

  private void fail(String reason) {
    isBroken = true;
    drop();
    failure.accept(reason);
  }

  private void drop() {
    received.release();
    received = Unpooled.EMPTY_BUFFER;
  }

  private void awaitTurn(ChannelHandlerContext context) {
    if (!isAwaitingTurn) {
      isAwaitingTurn = true;
      context.executor().execute(() -> takeTurn(context));
    }
  }

  private void takeTurn(ChannelHandlerContext context) {
    isAwaitingTurn = false;
    if (context.isRemoved()) {
      return;
    }
    unwrapSome(context);
    channelReadComplete(context);
    if (isReadHeld && !hasWhole()) {
      isReadHeld = false;
      context.read();
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    partial.waits(context, received.readableBytes(), unwrapped);
    context.fireChannelReadComplete();
  }

  /** Called for each read, and when the connection is to be read again. */
  @Override
  public void read(ChannelHandlerContext context) {
    if (hasWhole()) {
      isReadHeld = true;
      awaitTurn(context);
    } else {
      context.read();
    }
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    ByteBuf bytes = (ByteBuf) message;
    if (!bytes.isReadable()) {
      ChannelFuture _ = context.write(bytes, promise);
      return;
    }
    try {
      while (bytes.readableBytes() > layer.mostSent()) {
        ChannelFuture _ = context.write(wrapped(context, bytes), context.voidPromise());
      }
      ChannelFuture _ = context.write(wrapped(context, bytes), promise);
    } catch (SecurityLayerException e) {
      boolean _ = promise.tryFailure(new IOException(e.getMessage()));
      ChannelFuture _ = context.close();
    } finally {
      bytes.release();
    }
  }

  private ByteBuf wrapped(ChannelHandlerContext context, ByteBuf bytes)
      throws SecurityLayerException {
    byte[] plain = new byte[Math.min(bytes.readableBytes(), layer.mostSent())];
    bytes.readBytes(plain);
    byte[] wrapped = layer.wrap(plain);
    return context
        .alloc()
        .directBuffer(HEADER_BYTES + wrapped.length)
        .writeInt(wrapped.length)
        .writeBytes(wrapped);
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    isBroken = true;
    drop();
    partial.close();
    memory.change(layer.heldBytes(), 0);
    layer.close();
  }
}
