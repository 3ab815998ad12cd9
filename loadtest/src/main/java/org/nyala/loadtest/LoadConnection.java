package org.nyala.loadtest;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.jspecify.annotations.Nullable;

/**
 * A connection of a simulated client with at most one request outstanding. It is sharable only in
 * that it serves one channel after the other when the server closes them.
 *
 * <p>Confined to the channel's event loop. Hot: the request buffer is written anew for every
 * request, which is safe because no answer comes before its request has left.
 */
@Sharable
final class LoadConnection extends ChannelInboundHandlerAdapter
    implements ResponseScanner.Listener {
  /** So that a somewhat longer DN does not need a new buffer. */
  private static final int SPARE_CAPACITY = 64;

  private static final int SHORT_LENGTH_LIMIT = 0x80;

  private final Conversation conversation;
  private final ResponseScanner scanner = new ResponseScanner(this);
  private @Nullable ChannelHandlerContext context;
  private @Nullable ByteBuf request;
  private @Nullable ByteBuf partial;
  private int messageId = Pdu.FIRST_MESSAGE_ID;
  private boolean closedByUs;

  LoadConnection(Conversation conversation) {
    this.conversation = conversation;
  }

  @Override
  public int expectedMessageId() {
    return messageId;
  }

  /** Sends a request for a user. */
  void send(RequestTemplate template, int user) {
    send(template, user, 0);
  }

  /** Sends a request for a user with a stamp. */
  void send(RequestTemplate template, int user, long stamp) {
    ByteBuf out = emptyRequest(template.maxLength());
    template.write(out, nextMessageId(), user, stamp);
    flush(out);
  }

  /** Sends a whole message that {@link Pdu} made, with the next message id. */
  void send(byte[] message) {
    ByteBuf out = emptyRequest(message.length + SPARE_CAPACITY);
    out.writeBytes(message);
    out.setMedium(Pdu.messageIdPlace(message), nextMessageId());
    flush(out);
  }

  /** Sends a simple bind with a DN that a search found; the password is that of the user. */
  void sendBind(byte[] dn, int dnLength, int user) {
    byte[] password = Conversation.passwordOf(user);
    int body = 3 + header(dnLength) + dnLength + header(password.length) + password.length;
    int content = 5 + header(body) + body;
    ByteBuf out = emptyRequest(content + header(content) + SPARE_CAPACITY);
    element(out, 0x30, content);
    out.writeMedium(0x020300 | nextMessageId() >>> 16).writeShort(messageId);
    element(out, 0x60, body);
    out.writeMedium(0x020103);
    element(out, 0x04, dnLength);
    out.writeBytes(dn, 0, dnLength);
    element(out, 0x80, password.length);
    out.writeBytes(password);
    flush(out);
  }

  private static int header(int length) {
    return length < SHORT_LENGTH_LIMIT ? 2 : 4;
  }

  private static void element(ByteBuf out, int tag, int length) {
    out.writeByte(tag);
    if (length < SHORT_LENGTH_LIMIT) {
      out.writeByte(length);
    } else {
      out.writeByte(0x82).writeShort(length);
    }
  }

  private int nextMessageId() {
    messageId = messageId == Pdu.LAST_MESSAGE_ID ? Pdu.FIRST_MESSAGE_ID : messageId + 1;
    return messageId;
  }

  private ByteBuf emptyRequest(int capacity) {
    ByteBuf out = request;
    if (out == null || out.refCnt() != 1 || out.capacity() < capacity) {
      if (out != null) {
        out.release();
      }
      out = openContext().alloc().directBuffer(capacity, capacity);
      request = out;
    }
    return out.clear();
  }

  private void flush(ByteBuf out) {
    ChannelHandlerContext ctx = openContext();
    ChannelFuture _ = ctx.writeAndFlush(out.retain(), ctx.voidPromise());
  }

  private ChannelHandlerContext openContext() {
    ChannelHandlerContext ctx = context;
    if (ctx == null) {
      throw new IllegalStateException("connection is not open");
    }
    return ctx;
  }

  /** Closes the connection; its conversation hears no more of it. */
  void close() {
    closedByUs = true;
    ChannelHandlerContext ctx = context;
    if (ctx != null) {
      ChannelFuture _ = ctx.close();
    }
  }

  /** The channel could not be connected. */
  void openFailed() {
    conversation.lost(this);
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    context = ctx;
    closedByUs = false;
    conversation.opened(this);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    releaseBuffers();
    context = null;
    if (!closedByUs) {
      closedByUs = true;
      conversation.lost(this);
    }
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    releaseBuffers();
  }

  private void releaseBuffers() {
    if (request != null) {
      request.release();
      request = null;
    }
    if (partial != null) {
      partial.release();
      partial = null;
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof RuntimeException || cause instanceof Error) {
      conversation.broken(cause);
    }
    ChannelFuture _ = ctx.close();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf in = (ByteBuf) message;
    try {
      if (!closedByUs && !(completePartial(in) && scanner.scan(in) && keepRest(ctx, in))) {
        conversation.malformed(this);
      }
    } finally {
      in.release();
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    conversation.readEnded(this);
  }

  /** Moves to the message begun in an earlier read just what it lacks. */
  private boolean completePartial(ByteBuf in) {
    ByteBuf begun = partial;
    if (begun == null) {
      return true;
    }
    while (in.isReadable() && begun.isReadable()) {
      begun.writeBytes(in, Math.min(scanner.missing(begun), in.readableBytes()));
      if (!scanner.scan(begun)) {
        return false;
      }
    }
    if (!begun.isReadable() && partial != null) {
      partial = null;
      begun.release();
    }
    return true;
  }

  private boolean keepRest(ChannelHandlerContext ctx, ByteBuf in) {
    if (in.isReadable() && !closedByUs) {
      ByteBuf rest = ctx.alloc().buffer(Math.max(1024, in.readableBytes() * 2));
      partial = rest.writeBytes(in);
    }
    return true;
  }

  @Override
  public void entry(ByteBuf in, int dnStart, int dnEnd, int attributesLength) {
    conversation.entry(in, dnStart, dnEnd, attributesLength);
  }

  @Override
  public void control(ElementReader name, ElementReader value) {
    conversation.control(name, value);
  }

  @Override
  public void result(ByteBuf in, int tag, int resultCode) {
    if (!closedByUs) {
      conversation.answered(this, tag, resultCode);
    }
  }
}
