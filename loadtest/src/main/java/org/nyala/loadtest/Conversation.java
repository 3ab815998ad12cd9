package org.nyala.loadtest;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * One simulated client: opens its connections, repeats its operation until the time is over, counts
 * how each ended. A closed loop: the next operation begins when the last one ended.
 *
 * <p>Confined to the channel's event loop.
 */
abstract class Conversation {
  private static final long RECONNECT_MILLIS = 100;
  private static final byte[] PASSWORD_PREFIX = "password.".getBytes(StandardCharsets.US_ASCII);

  /** "uid=user" as a number. */
  private static final long UID_PREFIX = 0x7569643d75736572L;

  private static final int DIGITS_AT = 9;

  private final LoadLoop loop;
  private final boolean isBoundAtOpening;
  private final int client;
  private long random;
  private long operations;
  private long startedNanos;
  private boolean begun;
  private boolean worked;
  private boolean stopped;
  private boolean waitsForServiceBind;

  Conversation(LoadLoop loop, long seed, boolean isBoundAtOpening) {
    this.loop = loop;
    this.isBoundAtOpening = isBoundAtOpening;
    this.client = (int) seed - 1;
    this.random = seed * 0x9E3779B97F4A7C15L | 1;
  }

  /** Opens what stands for the whole test; {@link LoadLoop#ready()} once that is done. */
  abstract void prepare();

  /** Starts the next operation. */
  abstract void next();

  /** A connection is open and, where the job wants it, bound. */
  abstract void ready(LoadConnection connection);

  /** An entry of the answer. */
  abstract void entry(ByteBuf in, int dnStart, int dnEnd, int attributesLength);

  /** The answer ended. */
  abstract void result(LoadConnection connection, int tag, int resultCode);

  /** A control of the answer that is about to end. */
  void control(ElementReader name, ElementReader value) {}

  /**
   * Starts what is left to do when the work is over; {@link #finish()} once that is done.
   *
   * @return false when nothing is left
   */
  boolean startCleaning() {
    return false;
  }

  /** Closes what is open. */
  abstract void closeAll();

  /** A read of a connection ended. */
  void readEnded(LoadConnection connection) {}

  final LoadLoop loop() {
    return loop;
  }

  final LoopStatistics statistics() {
    return loop.statistics();
  }

  /** Whether operations are wanted. */
  final boolean isRunning() {
    return begun && !stopped;
  }

  /** When the operation under way started. */
  final long startedNanos() {
    return startedNanos;
  }

  /** Starts the load. */
  final void begin() {
    begun = true;
    startNext(System.nanoTime());
  }

  /** The operation ended: starts the next one or ends the client. */
  final void again(long nowNanos) {
    operations++;
    long bound = loop.settings().operations();
    if (worked || statistics().isOver(nowNanos) || bound != 0 && operations >= bound) {
      finish();
    } else {
      startNext(nowNanos);
    }
  }

  /** No more operations: ends the client, after it has cleaned up. */
  final void finish() {
    endWork();
    if (!startCleaning()) {
      stop();
    }
  }

  private void endWork() {
    if (!worked) {
      worked = true;
      loop.clientWorked();
    }
  }

  private void startNext(long nowNanos) {
    startedNanos = nowNanos;
    next();
  }

  /** Ends the client. */
  final void stop() {
    if (!stopped) {
      stopped = true;
      endWork();
      closeAll();
      loop.clientEnded();
    }
  }

  /** Ends a client that still waits for an answer after the end of the test. */
  final void giveUp() {
    if (!stopped) {
      statistics().unanswered();
      stop();
    }
  }

  /** The channel is connected. */
  final void opened(LoadConnection connection) {
    if (stopped) {
      connection.close();
    } else if (isBoundAtOpening && isServiceConnection(connection) && loop.hasServiceBind()) {
      waitsForServiceBind = true;
      connection.send(loop.templates().serviceBind(), 0);
    } else {
      ready(connection);
    }
  }

  /** Whether the identity of the command line is bound on this connection. */
  boolean isServiceConnection(LoadConnection connection) {
    return true;
  }

  final void answered(LoadConnection connection, int tag, int resultCode) {
    if (!waitsForServiceBind || !isServiceConnection(connection)) {
      result(connection, tag, resultCode);
      return;
    }
    waitsForServiceBind = false;
    if (resultCode == 0) {
      ready(connection);
    } else {
      statistics().failed(resultCode);
      loop.setupFailed("bind as the service identity: result code " + resultCode);
      connection.close();
      reopenLater(connection);
    }
  }

  /** The connection broke or could not be opened. */
  void lost(LoadConnection connection) {
    waitsForServiceBind = false;
    statistics().lost();
    loop.setupFailed("a connection could not be opened or was closed by the server");
    if (begun && statistics().isOver(System.nanoTime())) {
      stop();
    } else {
      reopenLater(connection);
    }
  }

  /** What came is not an answer: the connection is of no more use. */
  final void malformed(LoadConnection connection) {
    statistics().malformed();
    connection.close();
    reopenLater(connection);
  }

  /** This program failed, not the server. */
  final void broken(Throwable cause) {
    loop.broken(cause);
  }

  private void reopenLater(LoadConnection connection) {
    if (stopped) {
      return;
    }
    Future<?> _ =
        loop.eventLoop()
            .schedule(() -> reopen(connection), RECONNECT_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void reopen(LoadConnection connection) {
    if (!stopped) {
      loop.open(connection);
    }
  }

  /** The client's number in its test, from 0 up. */
  final int client() {
    return client;
  }

  /** A random user's number. */
  final int randomUser() {
    return randomBelow(loop.settings().users());
  }

  /** A random number from 0 up. */
  final int randomBelow(int bound) {
    return (int) ((nextRandom() >>> 32) * bound >>> 32);
  }

  /** A random stamp. */
  final long randomStamp() {
    return (nextRandom() >>> 1) % RequestTemplate.STAMP_LIMIT;
  }

  /** Xorshift64, which is enough to spread requests. */
  private long nextRandom() {
    long x = random;
    x ^= x << 13;
    x ^= x >>> 7;
    x ^= x << 17;
    random = x;
    return x;
  }

  /** Whether a DN begins with the RDN of the user, and the entry has attributes. */
  static boolean isPerson(ByteBuf in, int dnStart, int dnEnd, int attributesLength, int user) {
    if (dnEnd - dnStart <= DIGITS_AT || attributesLength == 0) {
      return false;
    }
    if (in.getLong(dnStart) != UID_PREFIX || in.getByte(dnStart + DIGITS_AT - 1) != '.') {
      return false;
    }
    int number = 0;
    for (int at = dnStart + DIGITS_AT; at < dnEnd; at++) {
      int character = in.getByte(at);
      if (character == ',') {
        break;
      }
      number = number * 10 + character - '0';
    }
    return number == user;
  }

  /** The password of a user: {@code password.N}. */
  static byte[] passwordOf(int user) {
    int digits = 1;
    for (int rest = user; rest >= 10; rest /= 10) {
      digits++;
    }
    byte[] password = java.util.Arrays.copyOf(PASSWORD_PREFIX, PASSWORD_PREFIX.length + digits);
    int rest = user;
    for (int at = password.length - 1; at >= PASSWORD_PREFIX.length; at--) {
      password[at] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    return password;
  }
}
