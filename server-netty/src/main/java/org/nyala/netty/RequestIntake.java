package org.nyala.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.nyala.core.DirectoryServer;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.dispatch.DispatchStrategy;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.extended.StartTlsOperation;
import org.nyala.core.session.Session;
import org.nyala.netty.codec.LdapFraming;
import org.nyala.netty.codec.LdapTags;
import org.nyala.netty.codec.MalformedRequest;
import org.nyala.netty.codec.RequestDecoder;
import org.nyala.netty.codec.RequestFootprint;
import org.nyala.netty.codec.ResultEncoder;

/**
 * The path from a connection's bytes to its session: takes one message after the other, decoded
 * here or by a worker, for as long as the session wants them, and stops reading when it does not.
 *
 * <p>Confined to the channel's event loop, except for {@link #isReading}, {@link #hasBytes} and
 * {@link #lastNanos}. Hot.
 */
final class RequestIntake {
  /*
   * Reading stops (autoRead off, undecoded bytes stay) while the session wants no requests, while
   * the client does not read the answers, and while a burst waits for a worker or more has come
   * than one worker's burst. decode() is the only loop over messages: any code that makes it
   * possible to continue calls it, and a call from inside it does nothing because the loop looks
   * again anyway.
   */

  /**
   * The most messages of one burst for a worker, and of one turn on the loop, which other
   * connections wait for.
   */
  private static final int BURST_MESSAGES = 64;

  /**
   * The bytes that count as one more message of a turn: a turn has some 64 KiB, which take a
   * millisecond to decode. By messages alone, 40 connections that had each sent 32 filters of 61 KB
   * kept their loops for hundreds of milliseconds.
   */
  private static final int MESSAGE_BYTES = 1024;

  /**
   * The most bytes answered in one turn on the loop: more take over a millisecond to copy, and a
   * thousand connections that ask for large entries would each take many such turns before a new
   * client was served.
   */
  private static final int TURN_BYTES = ConnectionOutput.SLICE_BYTES;

  private final ConnectionHandler connection;
  private final Channel channel;
  private final DirectoryServer directory;
  private final WireSettings settings;
  private final Session session;
  private final RequestDecoder decoder;
  private final WorkerDecoding worker;
  private final ConnectionOutput output;
  private final ConnectionEncryption encryption;
  private final ConnectionInput input;
  private final IntakeAccount account;
  private long received;
  private long lastNanos;
  private boolean decoding;
  private boolean isBlocked;
  private boolean isReading = true;
  private int turnLeft = BURST_MESSAGES;
  private long turnBegun;
  private boolean isTurnAwaited;

  /** Opens the intake of a connection, which reads. */
  RequestIntake(
      ConnectionHandler connection,
      Channel channel,
      ConnectionEnvironment environment,
      Session session,
      RequestDecoder decoder,
      WorkerDecoding worker,
      ConnectionOutput output,
      ConnectionEncryption encryption) {
    this.encryption = encryption;
    this.connection = connection;
    this.channel = channel;
    this.directory = environment.directory();
    this.settings = environment.settings();
    this.session = session;
    this.decoder = decoder;
    this.worker = worker;
    this.output = output;
    this.input = new ConnectionInput(channel.alloc(), directory.memory()::isReserveInUse);
    this.account = new IntakeAccount(directory, session.memory());
  }

  /** Takes over received bytes, and takes the whole messages among them. */
  void receive(ByteBuf bytes) {
    received += bytes.readableBytes();
    input.add(bytes);
    decode();
  }

  /**
   * Returns whether there are bytes that have not been decoded. Any thread, for which it may be a
   * moment old.
   */
  boolean hasBytes() {
    return input.isReadable();
  }

  /** Returns whether the connection is being read. Any thread, for which it may be a moment old. */
  boolean isReading() {
    return isReading;
  }

  /** Returns the time of the last message; any thread, for which it may be a moment old. */
  long lastNanos() {
    return lastNanos;
  }

  /** Returns the number of bytes that have come. */
  long received() {
    return received;
  }

  /** Returns the number of them that have not been decoded. */
  int waiting() {
    return input.bytes().readableBytes();
  }

  /** Returns the bytes that the account holds for waiting input. */
  long heldBytes() {
    return account.input();
  }

  /** Returns the bytes that were not decoded, which are the caller's from now on. */
  ByteBuf takeBytes() {
    account.holdsInput(0);
    return input.take();
  }

  /** Discards the messages that were not taken. */
  void forget() {
    worker.forget();
    input.release();
    account.holdsInput(0);
  }

  /** Begins another turn on the loop, unless the connection waits for one. */
  void beginTurn() {
    if (!isTurnAwaited) {
      turnLeft = BURST_MESSAGES;
      turnBegun = output.written();
    }
  }

  /** Takes the turn for which the connection has waited. */
  void turnComes() {
    isTurnAwaited = false;
    beginTurn();
  }

  /**
   * Returns whether the connection has had its turn on the loop, by messages or by bytes answered;
   * another one begins when the loop has looked at its sockets again.
   */
  boolean isTurnOver() {
    if (turnLeft > 0 && output.written() - turnBegun < TURN_BYTES) {
      return false;
    }
    if (!isTurnAwaited) {
      isTurnAwaited = true;
      connection.awaitTurn();
    }
    return true;
  }

  /** Takes messages while there are some and they are wanted. */
  void decode() {
    if (decoding) {
      return;
    }
    decoding = true;
    isBlocked = false;
    output.begin();
    try {
      while (wantsRequests() && decodeNext()) {
        turnLeft--;
      }
      input.trim();
      account.holdsInput(input.heldBytes());
    } finally {
      decoding = false;
      output.end();
    }
    updateReading();
  }

  private boolean wantsRequests() {
    return !worker.isUnderWay()
        && connection.isServed()
        && session.wantsRequests()
        && !isTurnOver();
  }

  /** Starts or stops reading, according to the present state. */
  void updateReading() {
    boolean wants =
        connection.isClosing() || (worker.isUnderWay() ? isWorkerQuick() : wantsBytes());
    if (wants != isReading) {
      isReading = wants;
      channel.config().setAutoRead(wants);
    }
  }

  private boolean wantsBytes() {
    return wantsRequests() && !isBlocked && session.hasRoom();
  }

  private boolean isWorkerQuick() {
    return session.memory().hasRoom()
        && connection.isServed()
        && !worker.isWaiting()
        && !input.isReadable();
  }

  /** Takes the next message; false if there is none yet. */
  private boolean decodeNext() {
    Object decoded = worker.poll();
    if (decoded != null) {
      long held = HeldMessage.heldBytes(decoded);
      take(HeldMessage.decoded(decoded), noteMessage(), worker.eachNanos(), held);
      return true;
    }
    ByteBuf bytes = input.bytes();
    int length = LdapFraming.messageLength(bytes, pduLimit());
    if (length < 0) {
      return refused(length);
    }
    if (length > bytes.readableBytes()) {
      return awaits(length);
    }
    // A small message, such as an Abandon that makes room, need not wait for it.
    if (length > RequestFootprint.FREE_BYTES && !session.hasRoom()) {
      return false;
    }
    long held = account.take(bytes, length, session.inFlightCount() > 0);
    if (held == IntakeAccount.WAITS) {
      isBlocked = true;
      session.awaitRoom();
      return false;
    }
    if (held == IntakeAccount.REFUSED) {
      return answerRefused(bytes, length);
    }
    DispatchStrategy strategy = directory.strategy();
    if (length < DecodeTask.LARGE_BYTES && isTakenAlone(bytes)) {
      decode(bytes, length, held);
    } else if (strategy.decodePlacement() == DispatchStrategy.DecodePlacement.WORKER) {
      worker.dispatch(strategy, nextBurst(length, held), noteMessage());
    } else if (length >= DecodeTask.LARGE_BYTES) {
      worker.dispatch(strategy, burst(length, new long[] {held}), noteMessage());
    } else {
      decode(bytes, length, held);
    }
    return true;
  }

  /** Notes that a message is taken, whoever decodes and starts it, and returns the time. */
  private long noteMessage() {
    long nowNanos = directory.nanoTime();
    lastNanos = nowNanos;
    return nowNanos;
  }

  /** Returns whether what is behind a message may be encrypted, so that it is not decoded yet. */
  private boolean isTakenAlone(ByteBuf bytes) {
    return session.mayProtect() || encryption.isPossible() && LdapFraming.isExtendedRequest(bytes);
  }

  /** Waits for the rest of a message, if there is room for it. */
  private boolean awaits(int length) {
    if (account.couldHold(length)) {
      input.expect(length);
    } else {
      connection.end(
          LdapResult.of(
              ResultCode.ADMIN_LIMIT_EXCEEDED,
              "the message takes more memory than there is for one connection"));
    }
    return false;
  }

  /** Answers the next message, for which there is no room, instead of decoding it. */
  private boolean answerRefused(ByteBuf bytes, int length) {
    bytes.skipBytes(length);
    answer(account.refusal());
    return true;
  }

  private void decode(ByteBuf bytes, int length, long held) {
    long begunNanos = noteMessage();
    long allocated = DecodeTask.allocatedBefore(length);
    Request request;
    try {
      int elements = RequestFootprint.elements(length, held);
      request = decoder.decode(bytes, bytes.readerIndex(), length, elements);
    } catch (Throwable e) {
      account.giveBack(held);
      throw e;
    }
    bytes.skipBytes(length);
    turnLeft -= length / MESSAGE_BYTES;
    if (DecodeTask.endsForMemory(connection, length, allocated)) {
      account.giveBack(held);
      return;
    }
    long nowNanos = directory.nanoTime();
    if (request instanceof Request.Extended extended
        && extended.oid().equals(StartTlsOperation.OID)
        && encryption.isPossible()) {
      startTls(extended, nowNanos, nowNanos - begunNanos, held);
    } else {
      take(request != null ? request : decoder.problem(), nowNanos, nowNanos - begunNanos, held);
    }
  }

  /**
   * Carries out a request for encryption, unless anything has come with it: whatever is behind it
   * in clear text may be an attacker's (RFC 4511, section 4.14.1), and must not be taken for the
   * client's own once the connection is encrypted.
   */
  private void startTls(Request.Extended request, long nowNanos, long tookNanos, long held) {
    if (input.isReadable()) {
      account.giveBack(held);
      directory.metrics().malformedRequests().increment();
      connection.end(
          LdapResult.of(
              ResultCode.PROTOCOL_ERROR, "data in clear text followed the request for TLS"));
      return;
    }
    encryption.offer(() -> session.receive(request, nowNanos, tookNanos, held), output);
  }

  /**
   * Takes out the whole messages that one worker is to decode.
   *
   * @param firstLength the length of the first
   * @param firstHeld the bytes taken for it
   */
  private MessageBurst nextBurst(int firstLength, long firstHeld) {
    ByteBuf bytes = input.bytes();
    int from = bytes.readerIndex();
    long[] held = firstHeld == 0 ? null : new long[BURST_MESSAGES];
    int length = firstLength;
    long taken = firstHeld;
    for (int i = 0; ; ) {
      if (taken > 0) {
        held = held == null ? new long[BURST_MESSAGES] : held;
        held[i] = taken;
      }
      bytes.skipBytes(length);
      i++;
      length = LdapFraming.messageLength(bytes, pduLimit());
      if (i == BURST_MESSAGES || length < 0 || length > bytes.readableBytes()) {
        break;
      }
      if (encryption.isPossible() && LdapFraming.isExtendedRequest(bytes)) {
        // Maybe one for encryption, which is taken alone.
        break;
      }
      taken = account.take(bytes, length, true);
      if (taken < 0) {
        // It is checked again as the first message, and refused then.
        break;
      }
    }
    int burstLength = bytes.readerIndex() - from;
    bytes.readerIndex(from);
    return burst(burstLength, held);
  }

  private MessageBurst burst(int length, long @Nullable [] held) {
    long passed = length < DecodeTask.LARGE_BYTES ? 0 : account.pass(length);
    return new MessageBurst(input.bytes().readRetainedSlice(length), passed, held);
  }

  /** Clients that are not bound may send less. */
  private int pduLimit() {
    return session.identity().isAnonymous()
        ? settings.pduLimits().anonymousBytes()
        : settings.pduLimits().boundBytes();
  }

  private boolean refused(int reason) {
    if (reason == LdapFraming.INCOMPLETE) {
      return false;
    }
    directory.metrics().malformedRequests().increment();
    String message =
        reason == LdapFraming.TOO_LONG ? "the message is too long" : "not an LDAP message";
    connection.end(LdapResult.of(ResultCode.PROTOCOL_ERROR, message));
    return false;
  }

  private void take(Object decoded, long nowNanos, long tookNanos, long held) {
    if (decoded instanceof Request request) {
      session.receive(request, nowNanos, tookNanos, held);
    } else if (decoded instanceof MalformedRequest malformed) {
      account.giveBack(held);
      directory.metrics().malformedRequests().increment();
      answer(malformed);
    }
  }

  /**
   * Answers as in RFC 4511, section 4.1.1: with a response if possible, otherwise by ending the
   * connection.
   */
  private void answer(MalformedRequest malformed) {
    if (malformed.isAnswerable()) {
      if (malformed.requestTag() == LdapTags.BIND_REQUEST) {
        session.bindMalformed(malformed.result());
      }
      int tag = LdapTags.responseTo(malformed.requestTag());
      ResultEncoder.result(output.burst(), malformed.messageId(), tag, malformed.result());
      output.appended();
    } else {
      connection.end(LdapResult.of(ResultCode.PROTOCOL_ERROR, malformed.result().message()));
    }
  }

  /**
   * The memory that a connection's requests take of its account from their first byte until its
   * session has them: the bytes as they come, and the decoded form, which is charged before it
   * exists.
   *
   * <p>Confined to the channel's event loop. Hot: requests of few bytes that came as a whole are
   * not charged.
   */
  static final class IntakeAccount {
    /** The message may be decoded after other operations of the connection have ended. */
    static final long WAITS = -1;

    /** The message is not decoded; {@link #refusal} returns the answer to send. */
    static final long REFUSED = -2;

    private final DirectoryServer directory;
    private final MemoryAccount memory;
    private @Nullable RequestFootprint footprint;
    private @Nullable MalformedRequest refusal;
    private long input;
    private boolean waits;
    private long waitsSinceNanos;

    /** Begins with no memory taken. */
    IntakeAccount(DirectoryServer directory, MemoryAccount memory) {
      this.directory = directory;
      this.memory = memory;
    }

    /** Charges for the memory that the waiting bytes take now. */
    void holdsInput(int bytes) {
      if (bytes != input) {
        long before = input;
        input = bytes;
        memory.change(before, bytes);
      }
    }

    /**
     * Passes the charge for a part of the input to who decodes it: its bytes stay until then, and
     * so does the copy that values are copied from.
     *
     * @return the bytes to give back
     */
    long pass(int bytes) {
      if (bytes > input) {
        holdsInput(bytes);
      }
      input -= bytes;
      return bytes;
    }

    /** Returns the bytes charged for waiting input. */
    long input() {
      return input;
    }

    /** Returns whether a message of this length could be held while it comes. */
    boolean couldHold(int length) {
      return length <= RequestFootprint.FREE_BYTES || memory.couldHold(2L * length);
    }

    /**
     * Takes the memory that a whole message needs when it is decoded.
     *
     * @param isBusy true if the connection has operations that give some back when they end
     * @return the number of bytes taken, or {@link #WAITS} or {@link #REFUSED}
     */
    long take(ByteBuf bytes, int length, boolean isBusy) {
      if (length <= RequestFootprint.FREE_BYTES) {
        return 0;
      }
      RequestFootprint measured = measured(bytes, length);
      if (!measured.isAnswerable() && length < DecodeTask.LARGE_BYTES) {
        // No answer is expected: a malformed message ends here, and the others are carried out at
        // once. They have no reason to be large.
        return 0;
      }
      int most = directory.limits().memory().requestElements();
      if (measured.elements() > most) {
        return refuse(measured, ResultCode.ADMIN_LIMIT_EXCEEDED, "more than " + most + " elements");
      }
      if (!memory.couldHold(measured.bytes())) {
        return refuse(
            measured, ResultCode.ADMIN_LIMIT_EXCEEDED, "the request takes too much memory");
      }
      if (memory.tryTake(measured.bytes())) {
        waits = false;
        return measured.bytes();
      }
      return isBusy && mayWait()
          ? WAITS
          : refuse(measured, ResultCode.BUSY, "the server is short of memory: try again later");
    }

    private RequestFootprint measured(ByteBuf bytes, int length) {
      RequestFootprint measured = footprint;
      if (measured == null) {
        measured = new RequestFootprint();
        footprint = measured;
      }
      measured.measure(
          bytes, bytes.readerIndex(), length, directory.limits().memory().requestElements());
      return measured;
    }

    /**
     * Returns whether the message may wait: as long as for a permit, counted from the first time
     * that there was no room.
     */
    private boolean mayWait() {
      long now = directory.nanoTime();
      if (!waits) {
        waits = true;
        waitsSinceNanos = now;
      }
      int seconds = directory.limits().sessions().admissionTimeoutSeconds();
      return seconds == 0 || now - waitsSinceNanos < TimeUnit.SECONDS.toNanos(seconds);
    }

    private long refuse(RequestFootprint measured, ResultCode code, String message) {
      waits = false;
      refusal =
          new MalformedRequest(
              measured.messageId(), measured.tag(), false, LdapResult.of(code, message));
      return REFUSED;
    }

    /** Returns the answer to the message that was refused last. */
    MalformedRequest refusal() {
      MalformedRequest known = Objects.requireNonNull(refusal, "nothing was refused");
      refusal = null;
      return known;
    }

    /** Gives back the memory taken for a message. */
    void giveBack(long bytes) {
      if (bytes > 0) {
        memory.giveBack(bytes);
      }
    }
  }
}
