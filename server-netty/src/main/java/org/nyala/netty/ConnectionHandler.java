package org.nyala.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.OwnedSlots;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.sasl.SecurityLayer;
import org.nyala.core.session.ResponseSink;
import org.nyala.core.session.Session;
import org.nyala.netty.codec.RequestDecoder;
import org.nyala.netty.codec.ResultEncoder;

/**
 * One connection, from its channel's registration to its end: it handles the channel's events and
 * the requests of its session.
 *
 * <p>Confined to the channel's event loop, except for the methods that state otherwise. Hot.
 */
final class ConnectionHandler extends ClientChannel
    implements ConnectionTable.Member, OwnedSlots.Tenant {
  private enum State {
    OPEN,
    /** The client was asked to close; data that it still sends is discarded. */
    CLOSING,
    CLOSED
  }

  private static final System.Logger LOG = System.getLogger(ConnectionHandler.class.getName());

  private static final LdapResult MAKES_WAY =
      LdapResult.of(ResultCode.BUSY, "the connection makes way for those of others");

  private final ConnectionEnvironment environment;
  private final ConnectionTable<ConnectionHandler> table;
  private final LoopTurns turns;
  private final ConnectionOutput output;
  private final Runnable goOn = this::goOn;
  private final Session session;
  private final WorkerDecoding worker;
  private final ConnectionEncryption encryption;
  private final RequestIntake intake;
  private final ConnectionUpkeep upkeep;
  private final long openedNanos;
  private State state = State.OPEN;
  private @Nullable LdapResult drainNotice;
  private int place;
  private long reads;
  private long writes;
  private boolean inReadBurst;

  /** Opens the connection of a registered channel; on its event loop, whose decoder it uses. */
  ConnectionHandler(
      ConnectionEnvironment environment,
      Channel channel,
      int number,
      RequestDecoder decoder,
      LoopTurns turns) {
    super(channel, number);
    this.environment = environment;
    this.turns = turns;
    this.table = environment.table();
    this.openedNanos = environment.directory().nanoTime();
    table.add(this);
    this.session = environment.directory().openSession(this);
    this.output =
        new ConnectionOutput(
            this,
            channel,
            environment.settings().waterMarks().highBytes(),
            environment.directory().metrics(),
            session.memory(),
            turns.allowance());
    this.worker = new WorkerDecoding(this, session, environment.decoders());
    this.encryption = new ConnectionEncryption(this, channel, environment, session);
    this.intake =
        new RequestIntake(this, channel, environment, session, decoder, worker, output, encryption);
    this.upkeep = new ConnectionUpkeep(this, environment, session, intake, output);
    environment.directory().metrics().connectionsOpened().increment();
    environment.open().add(this); // Last: other threads may use it from now on.
  }

  @Override
  ConnectionEncryption encryption() {
    return encryption;
  }

  @Override
  public boolean hasUndecoded() {
    return intake.hasBytes();
  }

  @Override
  public EventExecutor loop() {
    return channel.eventLoop();
  }

  /** Returns the status of the connection; any thread, for which some of it may be a moment old. */
  ConnectionStatus status() {
    return new ConnectionStatus(
        number,
        peer(),
        local(),
        openedNanos,
        intake.isReading(),
        channel.isWritable(),
        reads,
        writes,
        session.status());
  }

  /** Returns the session of the connection. Any thread. */
  Session session() {
    return session;
  }

  @Override
  public OwnedSlots.Use use() {
    boolean isWorking = worker.isUnderWay() || session.openCount() > 0;
    if (isWorking && channel.isWritable()) {
      return OwnedSlots.Use.WORKING;
    }
    return isWorking || intake.hasBytes() || !channel.isWritable()
        ? OwnedSlots.Use.AWAITING_CLIENT
        : OwnedSlots.Use.IDLE;
  }

  @Override
  public long sinceNanos() {
    return Math.max(openedNanos, intake.lastNanos());
  }

  @Override
  public void evict() {
    environment.directory().metrics().displaced().increment();
    try {
      executeLater(this::makeWay);
    } catch (RejectedExecutionException e) {
      LOG.log(System.Logger.Level.DEBUG, "the loop of connection " + number + " has ended", e);
    }
  }

  /**
   * The place is taken. If a request has come since the connection was chosen, it is answered
   * before, unless the client does not read: it is not waited for.
   */
  private void makeWay() {
    if (isBusy() && channel.isWritable()) {
      runInBurst(() -> drain(MAKES_WAY));
    } else {
      runInBurst(() -> end(MAKES_WAY));
      closeNow();
    }
  }

  /** Ends the connection with a notice, soon. Any thread. */
  void endLater(LdapResult notice) {
    executeLater(() -> runInBurst(() -> end(notice)));
  }

  /** Returns the bytes that the account holds for answers. Any thread. */
  long outputBytes() {
    return output.charged();
  }

  /** Returns the periodic checks of the connection. */
  ConnectionUpkeep upkeep() {
    return upkeep;
  }

  /**
   * Returns whether the connection is in its table; every event on it asks this first. Any thread.
   */
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

  /** Runs {@code work} on the event loop, and flushes once. */
  void runInBurst(Runnable work) {
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
      // Counted before the requests run: a request that asks for the number of reads counts too.
      reads++;
      intake.beginTurn();
      output.begin();
    }
    environment.directory().metrics().bytesReceived().add(bytes.readableBytes());
    intake.receive(bytes);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
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
    intake.decode();
  }

  /** Continues work that was held up, because there is room for answers again. */
  void goOn() {
    intake.beginTurn();
    if (state != State.OPEN) {
      return;
    }
    output.begin();
    try {
      session.writable();
      session.goOn();
      intake.decode();
    } finally {
      output.end();
    }
  }

  @Override
  public boolean isTurnOver() {
    return intake.isTurnOver();
  }

  /** Continues work that was held up, after the tasks that others have queued on the event loop. */
  void goOnLater() {
    executeLater(goOn);
  }

  /**
   * Waits for another turn, after other connections that wait for one and after the event loop has
   * looked at its sockets.
   */
  void awaitTurn() {
    turns.await(this);
  }

  /** Takes another turn on the event loop. Throws nothing. */
  void takeTurn() {
    try {
      intake.turnComes();
      goOn();
    } catch (Throwable e) {
      fail(e);
    }
  }

  /**
   * Returns whether requests are accepted: the connection is open, is not about to close, and the
   * client reads the answers.
   */
  boolean isServed() {
    return state == State.OPEN && drainNotice == null && channel.isWritable();
  }

  /** Returns whether the client was asked to close. */
  boolean isClosing() {
    return state == State.CLOSING;
  }

  /**
   * Takes back the session, and the requests of this connection's last burst that the worker has
   * not started. Any thread.
   *
   * @param eachNanos the time it took to decode one
   */
  void decoded(ArrayDeque<Object> requests, long eachNanos) {
    try {
      execute(() -> takeBack(requests, eachNanos));
    } catch (RejectedExecutionException e) {
      // The loop has ended, and the connection with it: no other thread uses the session.
      HeldMessage.release(requests, session.memory());
      session.takeBack();
      session.closed();
    }
  }

  private void takeBack(ArrayDeque<Object> requests, long eachNanos) {
    worker.takeBack(requests, eachNanos);
    if (state != State.OPEN) {
      worker.forget();
    }
    session.takeBack();
    if (state == State.OPEN) {
      intake.decode();
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

  /** Returns whether the client reads the answers. Any thread. */
  boolean isWritable() {
    return channel.isWritable();
  }

  /** Ends session and connection. */
  void end(LdapResult notice) {
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
  public void protect(SecurityLayer layer) {
    if (state != State.OPEN) {
      layer.close();
      return;
    }
    // The answer to the bind is the last that is not wrapped.
    output.flush();
    encryption.protect(layer, intake.takeBytes(), this::failLayer);
    if (worker.hasDecoded() || session.deferredCount() > 0) {
      failLayer("requests have come unwrapped behind the last message of the bind");
    }
  }

  private void failLayer(String reason) {
    environment.layerLog().failed(peer(), reason);
    runInBurst(() -> end(LdapResult.of(ResultCode.PROTOCOL_ERROR, reason)));
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
    intake.forget();
    output.finish(notice != null && drainNotice == null);
    intake.updateReading();
  }

  /** Ends the connection with the notice as soon as it runs nothing; reads no more. */
  void drain(LdapResult notice) {
    drainNotice = notice;
    intake.updateReading();
    session.drain();
    endWhenDrained();
  }

  private void endWhenDrained() {
    if (drainNotice != null && state == State.OPEN && !isBusy()) {
      end(drainNotice);
    }
  }

  private boolean isBusy() {
    return worker.isUnderWay() || session.openCount() > 0;
  }

  /** Ends the connection without a notice. */
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

  /** Checks the timeouts. */
  void sweep(long nowNanos) {
    // A burst counts as one read, and with io_uring may last for longer than a turn of the loop.
    upkeep.observe(nowNanos, reads, inReadBurst || isBusy() || !intake.isReading());
    if (state == State.CLOSING) {
      upkeep.endLinger(nowNanos);
      return;
    }
    endWhenDrained();
    if (drainNotice == MAKES_WAY && !channel.isWritable()) {
      closeNow();
    }
    runInBurst(worker::refuseOverdue);
    upkeep.goOnOrEnd(nowNanos, isBusy());
  }

  /** Continues if work waits here for which there is memory. */
  void wake() {
    upkeep.wake(!worker.isUnderWay() && session.openCount() > 0);
  }

  /** Never acts from inside a flush: work that continues may write again. */
  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (channel.isWritable() && isHeld()) {
      writes++;
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
    environment.open().remove(this);
    intake.forget();
    session.closed();
    worker.discardWaiting();
    output.close();
    endReadBurst();
    environment.directory().metrics().connectionsClosed().increment();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    fail(cause);
  }

  private void fail(Throwable cause) {
    if (cause instanceof OutOfMemoryError ranOut) {
      session.memory().ranOut(ranOut);
    } else if (!(cause instanceof IOException)) {
      environment.directory().metrics().internalErrors().increment();
      LOG.log(System.Logger.Level.ERROR, "internal error on connection " + number, cause);
    }
    closeNow();
  }
}
