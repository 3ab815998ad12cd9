package org.nyala.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.io.IOException;
import java.security.cert.X509Certificate;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.OwnedSlots;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.sasl.SecurityLayer;
import org.nyala.core.sasl.SecurityLayerException;
import org.nyala.core.session.ChannelBinding;
import org.nyala.core.session.ClientConnection;
import org.nyala.core.session.Session;
import org.nyala.netty.tls.PartialInput;
import org.nyala.netty.tls.TlsEncryption;
import org.nyala.netty.tls.TlsPeer;
import org.nyala.netty.tls.TlsPort;

/**
 * The encryption of one connection: from its beginning, from a request on (RFC 4511, section 4.14),
 * or by a layer from a bind on.
 *
 * <p>Confined to the channel's event loop, except for {@link #strengthBits}, {@link
 * #clientCertificate}, {@link #mayProtect} and {@link #mayStartTls}. A request can begin it only
 * while {@link #offer} has it carried out.
 */
final class ConnectionEncryption {
  private final ConnectionHandler tenant;
  private final Channel channel;
  private final ConnectionEnvironment environment;
  private final Session session;
  private final @Nullable TlsPort port;
  private volatile int strengthBits;
  private volatile @Nullable X509Certificate clientCertificate;
  private volatile byte[] endPoint = {};
  private volatile byte[] exporter = {};
  private volatile boolean isEncrypted;

  private volatile ClientConnection.Layer kind = ClientConnection.Layer.TLS;

  /** True if a layer of SASL protects the connection, or it is one within the machine. */
  private volatile boolean isProtected;

  /** The encryption of which the client may be told; null but while it is offered. */
  private volatile @Nullable TlsEncryption offered;

  /** True if none can be offered for want of memory, while a request for it is carried out. */
  private volatile boolean isShort;

  private boolean isAgreed;

  ConnectionEncryption(
      ConnectionHandler tenant,
      Channel channel,
      ConnectionEnvironment environment,
      Session session) {
    this.tenant = tenant;
    this.channel = channel;
    this.environment = environment;
    this.session = session;
    this.port = environment.tls();
  }

  /** Takes the connection for as strong as a cipher, although nothing is encrypted. */
  void protectLocally(int bits) {
    kind = ClientConnection.Layer.TRANSPORT;
    strengthBits = bits;
    isProtected = true;
  }

  /** Returns the layer that the strength is that of. Any thread. */
  ClientConnection.Layer layer() {
    return kind;
  }

  /** Returns whether a layer of SASL may protect the connection: nothing does. Any thread. */
  boolean mayProtect() {
    return !isEncrypted && !isProtected;
  }

  /**
   * Protects the connection with a layer of SASL from now on.
   *
   * @param received what the client has sent that was not decoded; taken over
   * @param failure ends the connection, for a reason
   */
  void protect(SecurityLayer layer, ByteBuf received, Consumer<String> failure) {
    try {
      channel
          .pipeline()
          .addFirst(
              new SaslLayerHandler(
                  layer,
                  received,
                  session.memory(),
                  () -> environment.settings().timeouts().partialPduMillis(),
                  failure));
      isProtected = true;
      kind = ClientConnection.Layer.SASL;
      strengthBits = layer.strengthBits();
    } catch (Throwable e) {
      // Nothing must be said in clear text any more.
      ChannelFuture _ = channel.close();
      throw e;
    }
  }

  /** Encrypts the connection from its beginning, or closes it if there is no memory for that. */
  void begin() {
    TlsEncryption encryption = prepared();
    isEncrypted = true;
    if (encryption == null) {
      ChannelFuture _ = channel.close();
    } else {
      encryption.begin(channel.pipeline());
    }
  }

  private @Nullable TlsEncryption prepared() {
    TlsPort known = port;
    if (known == null || isEncrypted) {
      throw new IllegalStateException("there is no encryption, or it has begun");
    }
    OwnedSlots.Slot slot = environment.encryptions().take(tenant.address(), tenant);
    if (slot == null) {
      environment.directory().memory().refused().increment();
    }
    return known.prepare(
        channel,
        slot,
        session.memory(),
        () -> environment.settings().timeouts().partialPduMillis(),
        this::established);
  }

  private void established(TlsPeer peer) {
    clientCertificate = peer.certificate();
    endPoint = peer.endPoint();
    exporter = peer.exporter();
    strengthBits = peer.strengthBits();
    session.listener().encrypted(session, peer.protocol(), peer.cipher());
  }

  /** Returns whether a request may begin encryption. */
  boolean isPossible() {
    return port != null && mayProtect();
  }

  /**
   * Carries out a request for encryption, behind which nothing has come, and encrypts the
   * connection if it is agreed to.
   *
   * @param carryingOut the request, which is answered at once
   * @param output sends the answer in clear text
   */
  void offer(Runnable carryingOut, ConnectionOutput output) {
    isAgreed = false;
    try {
      TlsEncryption encryption = prepared();
      offered = encryption;
      isShort = encryption == null;
      carryingOut.run();
      if (isAgreed && encryption != null) {
        session.becomeAnonymous();
        output.flush();
        isEncrypted = true;
        encryption.begin(channel.pipeline());
      } else if (encryption != null) {
        encryption.discard();
      }
      offered = null;
      isShort = false;
    } catch (Throwable e) {
      // Nothing must be said in clear text any more.
      TlsEncryption unused = isEncrypted ? null : offered;
      offered = null;
      if (unused != null) {
        unused.discard();
      }
      ChannelFuture _ = channel.close();
      throw e;
    }
  }

  /** Returns success if the connection can be encrypted at this moment. Any thread. */
  LdapResult mayStartTls() {
    if (port == null) {
      return LdapResult.of(ResultCode.UNAVAILABLE, "there is no certificate (tls.certificate)");
    }
    if (!mayProtect()) {
      return LdapResult.of(ResultCode.OPERATIONS_ERROR, "the connection is protected already");
    }
    if (isShort) {
      return LdapResult.of(ResultCode.UNAVAILABLE, TlsPort.NO_MEMORY);
    }
    return offered != null
        ? LdapResult.SUCCESS
        : LdapResult.of(ResultCode.OPERATIONS_ERROR, "other requests came together with this one");
  }

  /** Agrees to encrypt the connection behind the answer. */
  void startTls() {
    isAgreed = true;
  }

  /** Returns the bits of the cipher's key; 0 until there is one. Any thread. */
  int strengthBits() {
    return strengthBits;
  }

  /**
   * Returns the data that bind an exchange to the connection; empty if there are none. Any thread.
   */
  byte[] binding(ChannelBinding kind) {
    return switch (kind) {
      case TLS_SERVER_END_POINT -> endPoint;
      case TLS_EXPORTER -> exporter;
    };
  }

  /** Returns the verified certificate of the client; null without one. Any thread. */
  @Nullable X509Certificate clientCertificate() {
    return clientCertificate;
  }

  /**
   * Wraps what a connection sends and unwraps what it receives (RFC 4422, section 3.7): each buffer
   * has its length in four octets in front.
   *
   * <p>Confined to the channel's event loop.
   */
  static final class SaslLayerHandler extends ChannelDuplexHandler {
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
}
