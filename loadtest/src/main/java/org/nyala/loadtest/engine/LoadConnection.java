package org.nyala.loadtest.engine;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.ldap.BerCursor;
import org.nyala.loadtest.ldap.ChannelWire;
import org.nyala.loadtest.ldap.MessageIds;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.ldap.Placeholder;
import org.nyala.loadtest.ldap.Request;
import org.nyala.loadtest.ldap.RequestBuffer;
import org.nyala.loadtest.ldap.ResponseReader;
import org.nyala.loadtest.ldap.ResponseScanner;
import org.nyala.loadtest.ldap.SocketWire;
import org.nyala.loadtest.ldap.Wire;

/**
 * A connection of one or more simulated clients, with one request outstanding for each of them.
 * When the server closes it, it opens another channel. It is {@code @Sharable} only in that it
 * serves one channel after the other.
 *
 * <p>Confined to the channel's event loop. Hot: requests are written into one buffer, and the
 * requests that follow the answers of one read leave with one write.
 */
@Sharable
final class LoadConnection extends ChannelInboundHandlerAdapter
    implements ResponseScanner.Listener, SocketWire.Listener {
  private static final long RECONNECT_MILLIS = 100;

  /** The one who sends requests over a connection, one at a time, and takes their answers. */
  abstract static class Conversation {
    /** The number on the connection, from 0 up. */
    abstract int slot();

    /** The number of the operation under way in its test, from which requests are made. */
    abstract long operation();

    /** Handles a connection that is open and, if the job wants it, bound. */
    abstract void ready(LoadConnection connection);

    /** Handles a connection that broke or could not be opened. */
    abstract void lost(LoadConnection connection);

    /** Returns whether a connection is still of use, and is opened again. */
    abstract boolean wants(LoadConnection connection);

    /** Handles the end of the answer. */
    abstract void result(LoadConnection connection, int tag, int resultCode);

    /** Handles an entry of the answer. */
    abstract void entry(ByteBuf in, int dnStart, int dnEnd, int attributesStart, int attributesEnd);

    /** Handles the URLs of a referral, or of a reference of a search. */
    void referral(BerCursor urls) {}

    /** Handles a control of the entry that is about to come, or of the answer about to end. */
    void control(BerCursor name, BerCursor value) {}

    /** Handles an intermediate response. */
    void intermediate(BerCursor name, BerCursor value) {}

    /** Handles the value of the extended response that is about to end. */
    void responseValue(BerCursor value) {}

    /** Handles the server's credentials of the bind response that is about to end. */
    void serverCredentials(BerCursor value) {}

    /** Returns whether it is to be notified of the ends of reads. */
    boolean hearsOfReads() {
      return false;
    }

    /** Handles the end of a read of a connection. */
    void readEnded(LoadConnection connection) {}
  }

  private final LoadLoop loop;
  private final int server;
  private final Conversation[] conversations;
  private final boolean isServiceBound;
  private final ReferralChase @Nullable [] chases;
  private final MessageIds ids;
  private final ConnectionSetup setup;
  private final boolean isBrief;
  private final ResponseReader responses = new ResponseReader(this);
  private final RequestBuffer requests;
  private int attached;
  private int left;
  private @Nullable Conversation answered;
  private @Nullable ChannelHandlerContext context;
  private @Nullable Wire wire;
  private boolean isReading;
  private boolean isReady;
  private boolean closedByUs;
  private boolean tellsOfReads;
  private boolean isLossCounted;
  private boolean isRefusalCounted;

  /**
   * Makes a connection that is not open yet.
   *
   * @param depth the number of clients that will share it
   * @param isServiceBound true if the identity of the command line is to be bound on it
   * @param server the place of the server among those of the test, from 0 up
   */
  LoadConnection(LoadLoop loop, int depth, boolean isServiceBound, int server) {
    this(loop, depth, isServiceBound, server, false);
  }

  private LoadConnection(
      LoadLoop loop, int depth, boolean isServiceBound, int server, boolean isBrief) {
    this.loop = loop;
    this.server = server;
    this.conversations = new Conversation[depth];
    this.isServiceBound = isServiceBound;
    boolean follows = loop.settings().options().rules().referralHops() > 0;
    this.chases = follows ? new ReferralChase[depth] : null;
    this.ids = new MessageIds(depth);
    this.setup = new ConnectionSetup(this, loop, isServiceBound);
    this.isBrief = isBrief;
    this.requests = new RequestBuffer(loop.settings().options().rules().controls().encoded());
  }

  /** A connection to the server of a referral. */
  LoadConnection(LoadLoop loop, ReferralChase chase, boolean isServiceBound, int server) {
    this(loop, 1, isServiceBound, server, false);
    attach(chase);
  }

  static LoadConnection of(SimulatedClient conversation, boolean isServiceBound) {
    return of(conversation, isServiceBound, false);
  }

  /** A connection of one client that is closed when an operation has ended. */
  static LoadConnection brief(SimulatedClient conversation, boolean isServiceBound) {
    return of(conversation, isServiceBound, true);
  }

  private static LoadConnection of(
      SimulatedClient conversation, boolean isServiceBound, boolean isBrief) {
    LoadConnection connection =
        new LoadConnection(conversation.loop(), 1, isServiceBound, conversation.server(), isBrief);
    connection.attach(conversation);
    return connection;
  }

  /** Adds a client, which has the slot of that number. */
  void attach(Conversation conversation) {
    if (chases != null && conversation instanceof SimulatedClient client) {
      chases[attached] = new ReferralChase(client, this, isServiceBound);
    }
    conversations[attached++] = conversation;
    tellsOfReads |= conversation.hearsOfReads();
  }

  /**
   * Opens the channel; the clients are notified by {@link SimulatedClient#ready}, or of its loss.
   */
  void open() {
    closedByUs = false;
    loop.open(this);
  }

  /** The place of the server among those of the test. */
  int server() {
    return server;
  }

  /** The number of the sessions of TLS that it may resume. */
  int sessions(InetSocketAddress address) {
    return conversations[0] instanceof HandshakeClient client
        ? client.sessions()
        : address.getPort();
  }

  /** Returns whether its last handshake of TLS resumed a session. */
  boolean isResumed() {
    return setup.isResumed();
  }

  /** Returns whether requests can be sent. */
  boolean isReady() {
    return isReady;
  }

  /** Sends a request for a user with a stamp. */
  void send(Conversation sender, Request request, int user, long stamp) {
    ByteBuf out = outgoing();
    int start = out.writerIndex();
    request.write(out, ids.next(sender.slot()), user, stamp, sender.operation());
    sent(sender, out, start);
  }

  /** Sends a whole message that {@link Pdu} made, with the next message id. */
  void send(Conversation sender, byte[] message) {
    ByteBuf out = outgoing();
    int start = out.writerIndex();
    requests.message(openWire(), ids.next(sender.slot()), message);
    sent(sender, out, start);
  }

  /** Sends a simple bind with a DN that a search found. */
  void sendBind(Conversation sender, byte[] dn, int dnLength, Placeholder password, int person) {
    ByteBuf out = outgoing();
    int start = out.writerIndex();
    requests.bind(
        openWire(), ids.next(sender.slot()), dn, dnLength, password, person, sender.operation());
    sent(sender, out, start);
  }

  /** Completes a request that was written at the end of the buffer. */
  private void sent(Conversation sender, ByteBuf out, int start) {
    ReferralChase chase = chaseOf(sender);
    if (chase != null) {
      chase.sent(out, start);
    }
    requests.addControls(start);
    flushUnlessReading();
  }

  private @Nullable ReferralChase chaseOf(Conversation conversation) {
    return chases == null ? null : chases[conversation.slot()];
  }

  private ByteBuf outgoing() {
    return requests.end(openWire());
  }

  private void flushUnlessReading() {
    if (!isReading) {
      requests.flush(openWire());
    }
  }

  private Wire openWire() {
    Wire open = wire;
    if (open == null) {
      throw new IllegalStateException("connection is not open");
    }
    return open;
  }

  /** Stops waiting for the answer of a client; it may still come. */
  void forget(Conversation conversation) {
    ids.forget(conversation.slot());
    ReferralChase chase = chaseOf(conversation);
    if (chase != null) {
      chase.cancel();
    }
  }

  /** Notes that a client has ended; closes the connection after the last one. */
  void leave() {
    if (++left >= attached) {
      close();
    }
  }

  /** Closes the connection; its clients are not notified. */
  void close() {
    closedByUs = true;
    isReady = false;
    if (chases != null) {
      for (ReferralChase chase : chases) {
        if (chase != null) {
          chase.close();
        }
      }
    }
    Wire open = wire;
    if (open != null) {
      requests.flush(open);
      open.close();
    }
  }

  /** Notes that the channel could not be connected. */
  void openFailed() {
    if (!closedByUs) {
      lost();
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    setup.added(ctx);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof SslHandshakeCompletionEvent handshake) {
      setup.handshaken(ctx, handshake);
    }
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    context = ctx;
    if (closedByUs) {
      ChannelFuture _ = ctx.close();
      return;
    }
    // Taking the socket over costs system calls, which pay off only for a connection that stays.
    boolean isPlain = !setup.isEncrypted() && !isBrief;
    SocketWire socket = isPlain ? SocketWire.of(this, ctx.channel(), loop.readBuffer()) : null;
    if (socket != null) {
      wire = socket;
      socket.open();
      return;
    }
    wire = new ChannelWire(ctx);
    setup.begin();
  }

  @Override
  public void opened() {
    setup.begin();
  }

  /** Sends a request before any client may; {@link ConnectionSetup} is notified of its answer. */
  void setUp(Request request) {
    request.write(outgoing(), ids.nextForSetUp(), 0, 0, 0);
    flushUnlessReading();
  }

  /** Sends a whole message that {@link Pdu} made before any client may send. */
  void setUp(byte[] message) {
    requests.message(openWire(), ids.nextForSetUp(), message);
    flushUnlessReading();
  }

  /** The data that binds SCRAM to the connection; empty if that is not wanted. */
  byte[] channelBinding() {
    return setup.channelBinding();
  }

  /** Allows the clients to use the connection. */
  void ready() {
    isReady = true;
    isLossCounted = false;
    isRefusalCounted = false;
    for (Conversation conversation : conversations) {
      conversation.ready(this);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    ended();
  }

  @Override
  public void ended() {
    releaseBuffers();
    context = null;
    wire = null;
    if (!closedByUs) {
      lost();
    }
  }

  /**
   * Handles the loss of the connection; failed attempts to open it again do not count as further
   * losses.
   */
  private void lost() {
    if (!isLossCounted) {
      isLossCounted = true;
      loop.statistics().lost();
      loop.statistics().failedOf(server, true);
    }
    InetSocketAddress address = loop.servers().get(server);
    loop.setupFailed(
        "a connection could not be opened or was closed by the server"
            + (loop.servers().size() == 1
                ? ""
                : " " + address.getHostString() + ":" + address.getPort()));
    breakOff();
  }

  /** Gives the connection up after bytes that are not an answer. */
  void malformed() {
    isLossCounted = true;
    loop.statistics().malformed();
    loop.statistics().failedOf(server, true);
    breakOff();
  }

  /** Counts a refusal by the server of a request of the set-up. */
  void refused(int resultCode) {
    if (!isRefusalCounted) {
      isRefusalCounted = true;
      loop.statistics().refused(resultCode);
      loop.statistics().failedOf(server, false);
    }
  }

  /** Closes the channel and opens another one after a delay, unless no client wants it any more. */
  void breakOff() {
    close();
    ids.clear();
    setup.breakOff();
    for (Conversation conversation : conversations) {
      conversation.lost(this);
    }
    Future<?> _ = loop.eventLoop().schedule(this::reopen, RECONNECT_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void reopen() {
    for (Conversation conversation : conversations) {
      if (conversation.wants(this)) {
        open();
        return;
      }
    }
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    releaseBuffers();
  }

  private void releaseBuffers() {
    requests.release();
    responses.release();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    // TLS wraps the failures caused by the peer's bytes; those are no failures of this program.
    boolean isOfPeer = cause instanceof IOException || cause instanceof DecoderException;
    if (!isOfPeer) {
      broken(cause);
    }
    ChannelFuture _ = ctx.close();
  }

  @Override
  public void broken(Throwable cause) {
    loop.broken(cause);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf in = (ByteBuf) message;
    isReading = true;
    try {
      read(ctx.alloc(), in);
    } finally {
      in.release();
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    readEnded();
  }

  @Override
  public void received(ByteBuf in) {
    isReading = true;
    read(in.alloc(), in);
    readEnded();
  }

  private void read(ByteBufAllocator allocator, ByteBuf in) {
    loop.answersRead();
    if (!closedByUs && !responses.read(allocator, in) && !closedByUs) {
      malformed();
    }
  }

  private void readEnded() {
    isReading = false;
    Wire open = wire;
    if (open != null) {
      requests.flush(open);
    }
    if (tellsOfReads) {
      for (Conversation conversation : conversations) {
        conversation.readEnded(this);
      }
    }
  }

  @Override
  public boolean expects(int messageId) {
    if (closedByUs) {
      return false;
    }
    int slot = ids.slotOf(messageId);
    answered = slot < 0 ? null : conversations[slot];
    return slot >= 0 || ids.isExpectedByNone(messageId);
  }

  @Override
  public void entry(ByteBuf in, int dnStart, int dnEnd, int attributesStart, int attributesEnd) {
    if (answered != null) {
      answered.entry(in, dnStart, dnEnd, attributesStart, attributesEnd);
    }
  }

  @Override
  public void control(BerCursor name, BerCursor value) {
    if (answered != null) {
      answered.control(name, value);
    }
  }

  @Override
  public void intermediate(BerCursor name, BerCursor value) {
    if (answered != null) {
      answered.intermediate(name, value);
    }
  }

  @Override
  public void referral(BerCursor urls) {
    Conversation conversation = answered;
    if (conversation != null) {
      ReferralChase chase = chaseOf(conversation);
      (chase == null ? conversation : chase).referral(urls);
    }
  }

  @Override
  public void responseValue(BerCursor value) {
    if (answered != null) {
      answered.responseValue(value);
    }
  }

  @Override
  public void serverCredentials(BerCursor value) {
    if (answered == null) {
      setup.serverCredentials(value);
    } else {
      answered.serverCredentials(value);
    }
  }

  @Override
  public void result(int messageId, int tag, int resultCode) {
    Conversation conversation = answered;
    if (conversation != null) {
      ids.answered(conversation.slot());
      ReferralChase chase = chaseOf(conversation);
      if (chase == null || !chase.follows(tag, resultCode)) {
        conversation.result(this, tag, resultCode);
      }
    } else if (ids.isSetUp(messageId)) {
      ids.setUpAnswered();
      setup.answered(tag, resultCode, context);
    } else {
      ids.answeredToNone(messageId);
    }
  }
}
