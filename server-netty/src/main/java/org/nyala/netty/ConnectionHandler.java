package org.nyala.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.unix.UnixChannel;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.nyala.core.DirectoryServer;
import org.nyala.core.dispatch.DispatchStrategy;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.operation.LdapOperationException;
import org.nyala.core.operation.LdapResult;
import org.nyala.core.operation.Operation;
import org.nyala.core.operation.Request;
import org.nyala.core.operation.ResponseSink;
import org.nyala.core.operation.ResultCode;
import org.nyala.core.session.ClientConnection;
import org.nyala.core.session.Session;

/**
 * One connection: bytes in, requests to its session, answers out.
 *
 * <p>Confined to the channel's event loop, but for the methods that say otherwise. Hot.
 */
final class ConnectionHandler extends ChannelInboundHandlerAdapter
    implements ClientConnection, ConnectionTable.Member {
  /*
   * Reading stops (autoRead off, undecoded bytes stay) while the session wants no requests, while the client does not read what it
   * asked for, and while a burst waits for a worker or more has come than one that a worker decodes. decode() is the only loop over
   * messages: whoever makes it possible to go on calls it, and a call from inside it does nothing because the loop looks again anyway.
   *
   * While a worker decodes, the session is lent: of what it says that only its holder may call, nothing is called here.
   */
  private enum State {
    OPEN,
    /** Told to go; what it still sends is thrown away. */
    CLOSING,
    CLOSED
  }

  private static final System.Logger LOG = System.getLogger(ConnectionHandler.class.getName());

  /** What is to be refused is not run. */
  private static final SliceBudget REFUSED_BURST = new SliceBudget(1, 1);

  /** Messages of one burst for a worker, and of one turn on the loop, which others wait for too. */
  private static final int BURST_MESSAGES = 64;

  /**
   * What connections share.
   *
   * @param directory opens their sessions
   * @param settings bounds them
   * @param decoders decode for workers
   * @param table keeps them
   * @param open has them by number, for whoever looks at them from outside
   */
  record Environment(
      DirectoryServer directory,
      WireSettings settings,
      RequestDecoderPool decoders,
      ConnectionTable<ConnectionHandler> table,
      ConcurrentMap<Integer, ConnectionHandler> open) {}

  private final Environment environment;
  private final Channel channel;
  private final int number;
  private final ConnectionTable<ConnectionHandler> table;
  private final RequestDecoder decoder;
  private final ConnectionInput input;
  private final ConnectionOutput output;
  private final ConnectionTimeouts timeouts;
  private final ArrayDeque<Object> decodedByWorker = new ArrayDeque<>(0);
  private final Runnable goOn = this::goOn;
  private final Session session;
  private final long openedNanos;
  private State state = State.OPEN;
  private @Nullable LdapResult drainNotice;
  private int place;
  private boolean inReadBurst;
  private boolean decoding;
  private boolean workerDecodes;
  private long workerDecodeNanos;
  private @Nullable WaitingBurst waitingBurst;
  private boolean reads = true;
  private int turnLeft = BURST_MESSAGES;

  /** Opens the connection of a registered channel; on its event loop, whose decoder it uses. */
  ConnectionHandler(Environment environment, Channel channel, int number, RequestDecoder decoder) {
    this.environment = environment;
    this.channel = channel;
    this.number = number;
    this.table = environment.table();
    this.decoder = decoder;
    this.input = new ConnectionInput(channel.alloc());
    this.output =
        new ConnectionOutput(
            this,
            channel,
            environment.settings().waterMarks().highBytes(),
            environment.directory().metrics());
    this.timeouts = new ConnectionTimeouts(environment.settings());
    this.openedNanos = environment.directory().nanoTime();
    table.add(this);
    this.session = environment.directory().openSession(this);
    environment.directory().metrics().connectionsOpened().increment();
    // The last thing: others may look at it from now on.
    environment.open().put(number, this);
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public String peer() {
    return text(channel.remoteAddress());
  }

  @Override
  public String local() {
    return text(channel.localAddress());
  }

  private static String text(@Nullable SocketAddress address) {
    if (!(address instanceof InetSocketAddress socket)) {
      return "unknown";
    }
    String host = socket.getAddress().getHostAddress();
    return "IP=" + (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + socket.getPort();
  }

  @Override
  public int descriptor() {
    return channel instanceof UnixChannel unix ? unix.fd().intValue() : number;
  }

  @Override
  public EventExecutor loop() {
    return channel.eventLoop();
  }

  /** What is known of it; any thread, to whom some of it may be a moment old. */
  ConnectionStatus status() {
    return new ConnectionStatus(
        number, peer(), local(), openedNanos, reads, channel.isWritable(), session.status());
  }

  /** Shows the operations that have begun and not ended, soon. Any thread. */
  void visitRunning(Consumer<Operation> visitor) {
    executeLater(() -> session.whenOurs(() -> session.running().forEach(visitor)));
  }

  /** Cancels an operation, soon. Any thread. */
  void cancelLater(int messageId, Consumer<Boolean> done) {
    execute(() -> session.whenOurs(() -> done.accept(cancel(messageId))));
  }

  private boolean cancel(int messageId) {
    try {
      boolean _ = session.cancel(messageId, null);
      return true;
    } catch (LdapOperationException e) {
      return false;
    }
  }

  /** Ends the connection with a notice, soon. Any thread. */
  void endLater(LdapResult notice) {
    executeLater(() -> runInBurst(() -> end(notice)));
  }

  /** Whether the connection is in its table, as an event on it asks first. Any thread. */
  boolean isHeld() {
    return table.holds(this);
  }

  @Override
  public void execute(Runnable work) {
    if (channel.eventLoop().inEventLoop()) {
      runInBurst(work);
    } else {
      executeLater(() -> runInBurst(work));
    }
  }

  private void runInBurst(Runnable work) {
    output.begin();
    try {
      work.run();
    } finally {
      output.end();
    }
  }

  @Override
  public void executeLater(Runnable work) {
    channel.eventLoop().execute(work);
  }

  @Override
  public ResponseSink openSink(Request request) {
    return new NettyResponseSink(output, request.messageId());
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    if (state != State.OPEN || !isHeld()) {
      bytes.release();
      return;
    }
    if (!inReadBurst) {
      inReadBurst = true;
      output.begin();
    }
    timeouts.read();
    environment.directory().metrics().bytesReceived().add(bytes.readableBytes());
    input.add(bytes);
    decode();
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    turnLeft = turnLeft == 0 ? 0 : BURST_MESSAGES;
    endReadBurst();
  }

  private void endReadBurst() {
    if (inReadBurst) {
      inReadBurst = false;
      output.end();
    }
  }

  @Override
  public void resumeReading() {
    decode();
  }

  /** Looks what can go on after it could not: there is room for answers again. */
  void goOn() {
    turnLeft = BURST_MESSAGES;
    if (state != State.OPEN) {
      return;
    }
    output.begin();
    try {
      session.writable();
      decode();
    } finally {
      output.end();
    }
  }

  private void decode() {
    if (decoding) {
      return;
    }
    decoding = true;
    output.begin();
    try {
      while (wantsRequests() && decodeNext()) {
        if (--turnLeft == 0) {
          executeLater(goOn);
        }
      }
      input.trim();
    } finally {
      decoding = false;
      output.end();
    }
    updateReading();
  }

  private boolean wantsRequests() {
    return !workerDecodes && isServed() && turnLeft > 0 && session.wantsRequests();
  }

  private boolean isServed() {
    return state == State.OPEN && drainNotice == null && channel.isWritable();
  }

  private void updateReading() {
    boolean wants = state == State.CLOSING || (workerDecodes ? isWorkerQuick() : wantsRequests());
    if (wants != reads) {
      reads = wants;
      channel.config().setAutoRead(wants);
    }
  }

  private boolean isWorkerQuick() {
    return isServed() && waitingBurst == null && !input.isReadable();
  }

  /** Takes the next message; false when there is none yet. */
  private boolean decodeNext() {
    Object decoded = decodedByWorker.poll();
    if (decoded != null) {
      take(decoded, environment.directory().nanoTime(), workerDecodeNanos);
      return true;
    }
    ByteBuf bytes = input.bytes();
    int length = LdapFraming.messageLength(bytes, pduLimit());
    if (length < 0) {
      return refused(length);
    }
    if (length > bytes.readableBytes()) {
      return false;
    }
    DispatchStrategy strategy = environment.directory().strategy();
    if (strategy.decodePlacement() == DispatchStrategy.DecodePlacement.WORKER) {
      dispatchBurst(strategy);
      return true;
    }
    long begunNanos = environment.directory().nanoTime();
    Request request = decoder.decode(bytes, bytes.readerIndex(), length);
    bytes.skipBytes(length);
    long nowNanos = environment.directory().nanoTime();
    take(request != null ? request : decoder.problem(), nowNanos, nowNanos - begunNanos);
    return true;
  }

  /** Strangers may send less. */
  private int pduLimit() {
    WireSettings settings = environment.settings();
    return session.identity().isAnonymous()
        ? settings.pduLimitAnonymousBytes()
        : settings.pduLimitBoundBytes();
  }

  private boolean refused(int reason) {
    if (reason == LdapFraming.INCOMPLETE) {
      return false;
    }
    environment.directory().metrics().malformedRequests().increment();
    String message =
        reason == LdapFraming.TOO_LONG ? "the message is too long" : "not an LDAP message";
    end(LdapResult.of(ResultCode.PROTOCOL_ERROR, message));
    return false;
  }

  private void dispatchBurst(DispatchStrategy strategy) {
    ByteBuf bytes = input.bytes();
    int from = bytes.readerIndex();
    for (int i = 0; i < BURST_MESSAGES; i++) {
      int length = LdapFraming.messageLength(bytes, pduLimit());
      if (length < 0 || length > bytes.readableBytes()) {
        break;
      }
      bytes.skipBytes(length);
    }
    ByteBuf burst = bytes.retainedSlice(from, bytes.readerIndex() - from);
    workerDecodes = true;
    DecodeTask task = new DecodeTask(this, session, environment.decoders(), burst);
    session.lend();
    waitingBurst = new WaitingBurst(strategy, task, environment.directory().nanoTime());
    if (strategy.dispatch(task)) {
      waitingBurst = null;
    }
  }

  /**
   * Answers busy to a burst that no worker has taken for too long, and to what waits behind one.
   */
  private void refuseOverdue() {
    WaitingBurst waiting = waitingBurst;
    if (waiting == null) {
      session.refuseOverdue();
    } else if (session.isOverdue(waiting.sinceNanos()) && waiting.withdraw()) {
      session.refuseWhile(() -> waiting.task().run(REFUSED_BURST));
    }
  }

  private void discardWaitingBurst() {
    WaitingBurst waiting = waitingBurst;
    if (waiting != null && waiting.withdraw()) {
      waiting.task().discard();
    }
  }

  /** A burst that waits for a permit, where, and since when. */
  private record WaitingBurst(DispatchStrategy strategy, DecodeTask task, long sinceNanos) {
    boolean withdraw() {
      return strategy.withdraw(task);
    }
  }

  /**
   * Takes the session back, and the requests of this connection's last burst that the worker has
   * not started. Any thread.
   *
   * @param eachNanos how long it took to decode one
   */
  void decoded(ArrayDeque<Object> requests, long eachNanos) {
    try {
      execute(() -> takeBack(requests, eachNanos));
    } catch (RejectedExecutionException e) {
      // The loop has ended, and the connection with it: nobody but this thread is left.
      session.takeBack();
      session.closed();
    }
  }

  private void takeBack(ArrayDeque<Object> requests, long eachNanos) {
    workerDecodes = false;
    workerDecodeNanos = eachNanos;
    waitingBurst = null;
    if (state == State.OPEN) {
      decodedByWorker.addAll(requests);
    }
    session.takeBack();
    if (state == State.OPEN) {
      decode();
    }
  }

  /** Ends the connection because of a failure. Any thread. */
  void failLater(Throwable cause) {
    try {
      executeLater(() -> fail(cause));
    } catch (RejectedExecutionException e) {
      LOG.log(System.Logger.Level.ERROR, "internal error on connection " + number, cause);
    }
  }

  /** Whether the caller is on the event loop. Any thread. */
  boolean isOnLoop() {
    return output.isOnLoop();
  }

  /** Whether the client reads what it asked for. Any thread. */
  boolean isWritable() {
    return channel.isWritable();
  }

  private void take(Object decoded, long nowNanos, long tookNanos) {
    if (decoded instanceof Request request) {
      session.receive(request, nowNanos, tookNanos);
    } else if (decoded instanceof MalformedRequest malformed) {
      reject(malformed);
    }
  }

  /** RFC 4511, section 4.1.1: an answer where one is possible, else the end. */
  private void reject(MalformedRequest malformed) {
    environment.directory().metrics().malformedRequests().increment();
    if (malformed.isAnswerable()) {
      if (malformed.requestTag() == LdapTags.BIND_REQUEST) {
        session.bindRefused();
      }
      int tag = LdapTags.responseTo(malformed.requestTag());
      ResultEncoder.result(output.burst(), malformed.messageId(), tag, malformed.result());
      output.appended();
    } else {
      end(LdapResult.of(ResultCode.PROTOCOL_ERROR, malformed.result().message()));
    }
  }

  /** Ends session and connection with a notice. */
  private void end(LdapResult notice) {
    session.closed();
    disconnect(notice);
  }

  @Override
  public void sendNotice(LdapResult result, String oid, byte @Nullable [] value) {
    if (state == State.OPEN) {
      ResultEncoder.extended(output.burst(), 0, result, oid, value);
      output.appended();
    }
  }

  @Override
  public void disconnect(@Nullable LdapResult notice) {
    if (state != State.OPEN) {
      return;
    }
    state = State.CLOSING;
    if (notice != null) {
      ResultEncoder.noticeOfDisconnection(output.burst(), notice);
    }
    decodedByWorker.clear();
    input.release();
    output.finish(notice != null && drainNotice == null);
    updateReading();
  }

  /** Ends the connection with the notice as soon as it runs nothing; reads no more. */
  void drain(LdapResult notice) {
    drainNotice = notice;
    updateReading();
    session.drain();
    endWhenDrained();
  }

  private void endWhenDrained() {
    LdapResult notice = drainNotice;
    if (notice != null && state == State.OPEN && !isBusy()) {
      end(notice);
    }
  }

  private boolean isBusy() {
    return workerDecodes || session.inFlightCount() > 0;
  }

  /** Ends the connection without a word. */
  void closeNow() {
    ChannelFuture _ = channel.close();
  }

  @Override
  public int place() {
    return place;
  }

  @Override
  public void moveTo(int newPlace) {
    place = newPlace;
  }

  /** Looks after the timeouts. */
  void sweep(long nowNanos) {
    timeouts.observe(nowNanos, isBusy() || !reads, output);
    if (state == State.CLOSING) {
      if (timeouts.isLingerExpired(nowNanos)) {
        closeNow();
      }
      return;
    }
    endWhenDrained();
    runInBurst(this::refuseOverdue);
    boolean isPartialExpired = input.isReadable() && timeouts.isPartialExpired(nowNanos);
    if (isPartialExpired || timeouts.isStalled(nowNanos) || timeouts.isIdleExpired(nowNanos)) {
      closeNow();
    }
  }

  /** Never from inside a flush: what goes on may write again. */
  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (channel.isWritable() && isHeld()) {
      channel.eventLoop().execute(goOn);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (state == State.CLOSED) {
      return;
    }
    state = State.CLOSED;
    table.remove(this);
    environment.open().remove(number, this);
    decodedByWorker.clear();
    input.release();
    session.closed();
    discardWaitingBurst();
    output.close();
    endReadBurst();
    environment.directory().metrics().connectionsClosed().increment();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    fail(cause);
  }

  private void fail(Throwable cause) {
    if (!(cause instanceof IOException)) {
      environment.directory().metrics().internalErrors().increment();
      LOG.log(System.Logger.Level.ERROR, "internal error on connection " + number, cause);
    }
    ChannelFuture _ = channel.close();
  }
}
