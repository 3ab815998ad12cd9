package org.nyala.loadtest.engine;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.ldap.RequestTemplate;
import org.nyala.loadtest.result.LoopStatistics;
import org.nyala.loadtest.result.Occurrence;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.Targets;
import org.nyala.loadtest.workload.ThinkTime;

/**
 * One simulated client, or one of those that share a connection: repeats its operation until the
 * time is over, and counts the result of each. In a closed loop the next operation begins when the
 * last one ended; in an open loop when the schedule has one, which may be late already.
 *
 * <p>Confined to the channel's event loop.
 */
abstract class SimulatedClient extends LoadConnection.Conversation implements Targets.RandomSource {
  private static final String UNEXPECTED_ENTRY =
      "an entry came in the answer to a request that is no search";

  /** The number of people after whom one is taken in any case. */
  private static final int MOST_SKIPPED = 100;

  private final LoadLoop loop;
  private final int client;
  private final int slot;
  private final int server;
  private final Targets.Chooser users;
  private @Nullable ClientListener whole;
  private LoopStatistics statistics;
  private long random;
  private long operations;
  private long operation;
  private long intendedNanos;
  private long sentNanos;
  private boolean isUnderWay;
  private boolean isBeside;
  private boolean begun;
  private boolean worked;
  private boolean stopped;
  private boolean isIdle;
  private boolean isThinking;

  /**
   * Makes a client.
   *
   * @param seed from 1 up, different for every client of a test
   */
  SimulatedClient(LoadLoop loop, long seed) {
    this.loop = loop;
    this.statistics = loop.statistics();
    this.client = (int) seed - 1;
    int depth = loop.settings().pace().depth();
    this.slot = client % depth;
    this.server = client / depth % loop.settings().servers().size();
    this.random = (seed + (loop.settings().pace().flow().seed() << 20)) * 0x9E3779B97F4A7C15L | 1;
    this.users = loop.settings().options().values().chooser(loop.settings().sharedUsers());
  }

  /** Opens the standing connections; {@link #startOrGoOn()} once that is done. */
  abstract void prepare();

  /** Starts the next operation. */
  abstract void next();

  /** Handles an entry of the answer, which is wrong unless the operation is a search. */
  @Override
  void entry(ByteBuf in, int dnStart, int dnEnd, int attributesStart, int attributesEnd) {
    wrongAnswer(UNEXPECTED_ENTRY);
  }

  /**
   * Starts the clean-up after the last operation; {@link #finish()} once that is done.
   *
   * @return false if nothing is left
   */
  boolean startCleaning() {
    return false;
  }

  abstract void closeAll();

  /** Stops waiting for the answer of the operation under way. */
  abstract void forget();

  /** Returns whether the next operation can be sent. */
  abstract boolean canSend();

  final LoadLoop loop() {
    return loop;
  }

  final LoopStatistics statistics() {
    return statistics;
  }

  /** The statistics in which the operation under way is counted: those of its kind. */
  LoopStatistics operationStatistics() {
    return statistics;
  }

  /** Makes this a part of another client, which decides when it acts. */
  final void joins(ClientListener other, JobKind kind) {
    whole = other;
    statistics = loop.statistics().ofKind(kind);
  }

  final boolean isPart() {
    return whole != null;
  }

  /** Stops waiting for the answer of the operation under way. */
  final void forgetPart() {
    isUnderWay = false;
    forget();
  }

  /** Returns whether operations are to be run. */
  final boolean isRunning() {
    return whole == null ? begun && !stopped : whole.runsParts();
  }

  /** Returns whether a connection is still of use. */
  @Override
  boolean wants(LoadConnection connection) {
    return whole == null ? !stopped : whole.wantsConnection(connection);
  }

  /** Starts the load. */
  final void begin() {
    begun = true;
    resume(System.nanoTime());
  }

  /** Starts or goes on, now that all standing connections are open, or open again. */
  final void startOrGoOn() {
    if (whole != null) {
      whole.partReady();
      return;
    }
    if (!begun) {
      loop.ready();
    } else if (!stopped && !isUnderWay) {
      resume(System.nanoTime());
    }
  }

  /** Ends the operation: starts the next one or ends the client. */
  final void again(long nowNanos) {
    isUnderWay = false;
    if (whole != null) {
      whole.partEnded(nowNanos);
      return;
    }
    operations++;
    resume(nowNanos);
  }

  private void resume(long nowNanos) {
    long bound = loop.settings().extent().operations();
    if (worked || loop.isOver(nowNanos) || bound != 0 && operations >= bound) {
      finish();
    } else if (canSend()) {
      loop.proceed(this, nowNanos);
    }
  }

  /** Begins the next operation after a time, or ends at the end of the test if that is sooner. */
  final void think(ThinkTime think) {
    if (!isThinking) {
      isThinking = true;
      double chance = randomFraction();
      long nanos = operations == 0 ? think.firstNanos(chance) : think.nanos(chance);
      long left = statistics.endNanos() - System.nanoTime();
      Future<?> _ =
          loop.eventLoop()
              .schedule(this::hasThought, Math.clamp(left, 0, nanos), TimeUnit.NANOSECONDS);
    }
  }

  private void hasThought() {
    isThinking = false;
    long now = System.nanoTime();
    if (stopped || isUnderWay) {
      return;
    }
    if (worked || loop.isOver(now)) {
      finish();
    } else if (canSend()) {
      start(now, now);
    }
  }

  /** Stops running operations: ends the client, after it has cleaned up. */
  final void finish() {
    isIdle = false;
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

  /**
   * Starts an operation.
   *
   * @param intended the time at which it should have begun
   * @param now the time at which it really does
   */
  final void start(long intended, long now) {
    isIdle = false;
    intendedNanos = intended;
    sentNanos = now;
    isUnderWay = true;
    isBeside = false;
    operation = whole == null ? loop.nextOperation() : whole.operation();
    next();
  }

  /** Starts a request that is no operation of the test, but whose answer is waited for as well. */
  final void startBeside() {
    sentNanos = System.nanoTime();
    intendedNanos = sentNanos;
    isUnderWay = true;
    isBeside = true;
    if (whole != null) {
      whole.partStartsBeside();
    }
  }

  /** Counts the operation under way by its result code, and goes on with the next one. */
  final void ended(int resultCode, boolean isRight) {
    long now = loop.answeredNanos();
    if (resultCode != 0) {
      failed(resultCode);
    } else if (isRight) {
      completed(now);
    } else {
      wrongAnswer();
    }
    again(now);
  }

  /** Counts the operation under way, which ended rightly. */
  final void completed(long nowNanos) {
    completed(intendedNanos, sentNanos, nowNanos);
  }

  /** Counts an operation that ended rightly, which began at these times. */
  final void completed(long intended, long sent, long nowNanos) {
    operationStatistics().completed(intended, sent, nowNanos);
    loop.statistics().completedOf(server, intended, nowNanos);
  }

  /** Counts a failure of the operation under way for the server. */
  private void failedThere() {
    loop.statistics().failedOf(server, false);
  }

  /** Counts the operation under way, which ended with a result code other than success. */
  final void failed(int resultCode) {
    loop.failedBy(resultCode);
    operationStatistics().failed(resultCode, intendedNanos, loop.answeredNanos());
    failedThere();
  }

  /**
   * Counts the operation under way, which ended with success but not with the entries it must have
   * found.
   */
  final void wrongAnswer() {
    wrongAnswer(operationStatistics().wantsExample() ? wrongAnswerInWords() : "");
  }

  private void wrongAnswer(String example) {
    LoopStatistics counts = operationStatistics();
    counts.wrongAnswer(intendedNanos, loop.answeredNanos());
    failedThere();
    if (counts.wantsExample() && !example.isEmpty()) {
      counts.example(example);
    }
  }

  /** Returns what was asked for and what was answered, at the first wrong answer. */
  String wrongAnswerInWords() {
    return UNEXPECTED_ENTRY;
  }

  /** The number of the operation under way in its test, from which requests are made. */
  @Override
  public long operation() {
    return operation;
  }

  final long intendedNanos() {
    return intendedNanos;
  }

  final long sentNanos() {
    return sentNanos;
  }

  /** The time since which nothing was received for the operation under way. */
  long waitingSinceNanos() {
    return sentNanos;
  }

  /** Goes on without the answer if it has been waited for too long. */
  void checkTimeOut(long nowNanos, long limitNanos) {
    if (isUnderWay && !stopped && nowNanos - waitingSinceNanos() >= limitNanos) {
      timeOut(nowNanos);
    }
  }

  private void timeOut(long nowNanos) {
    operationStatistics().timedOut();
    failedThere();
    endWaiting(nowNanos);
    forget();
    if (canSend() && !isUnderWay) {
      again(nowNanos);
    }
  }

  /** Returns whether operations end with answers, whose times are measured. */
  boolean waitsForAnswers() {
    return true;
  }

  /** Ends the operation under way without an answer, and counts the time it was waited for. */
  private void endWaiting(long nowNanos) {
    isUnderWay = false;
    if (!isBeside && waitsForAnswers()) {
      operationStatistics().waited(intendedNanos, sentNanos, nowNanos);
    }
  }

  /** Waits for the schedule; returns true if it did not do so before. */
  final boolean waitForSchedule() {
    boolean waited = isIdle;
    isIdle = true;
    return !waited;
  }

  /** Returns whether the schedule may start an operation here. */
  final boolean isIdle() {
    return isIdle;
  }

  /** Ends the client in the middle of an operation whose answer is of no more use. */
  final void breakOff() {
    if (whole == null) {
      stop();
    } else {
      isUnderWay = false;
      closeAll();
      whole.partBrokeOff();
    }
  }

  final void stop() {
    if (!stopped) {
      stopped = true;
      isIdle = false;
      endWork();
      closeAll();
      loop.clientEnded();
    }
  }

  /** Ends a client after the end of the test, whether or not it still waits for an answer. */
  final void giveUp(long nowNanos) {
    if (stopped) {
      return;
    }
    if (isUnderWay) {
      operationStatistics().unanswered();
      failedThere();
      endWaiting(nowNanos);
    }
    stop();
  }

  /** Handles a connection that broke or could not be opened, and will be opened again. */
  @Override
  void lost(LoadConnection connection) {
    interrupt();
    if (whole != null) {
      whole.partLost(this);
    } else if (begun && loop.isOver(System.nanoTime())) {
      stop();
    }
  }

  /** Finishes without the operation under way. */
  final void finishEarly() {
    isUnderWay = false;
    finish();
  }

  /** Ends the operation under way, if there is one: it will never be answered. */
  final void interrupt() {
    isIdle = false;
    if (isUnderWay && whole == null) {
      operationStatistics().interrupted();
      failedThere();
      endWaiting(System.nanoTime());
    }
    isUnderWay = false;
  }

  final boolean isUnderWay() {
    return isUnderWay;
  }

  /** The client's number in its test, from 0 up. */
  final int client() {
    return client;
  }

  /** The client's number on its connection, from 0 up. */
  @Override
  final int slot() {
    return slot;
  }

  /** The place of its server among those of the test, from 0 up. */
  final int server() {
    return server;
  }

  /** The number of clients of the test. */
  final int clients() {
    return loop.settings().clients();
  }

  /**
   * The number of a person who is to log in: nobody whose password was wrong before, so that
   * accounts are not locked.
   */
  final int chooseLogin() {
    int user = chooseUser();
    int places = loop.settings().options().mostWrongPasswords() == 0 ? 0 : MOST_SKIPPED;
    while (places-- > 0 && loop.isWrongLogin(user)) {
      user = chooseUser();
    }
    return user;
  }

  /** Notes the answer to the login of a person. */
  final void loggedIn(int user, int resultCode) {
    if (loop.isFirstLogin(user, resultCode)) {
      operationStatistics().occurred(Occurrence.FIRST_LOGIN, intendedNanos, loop.answeredNanos());
    }
  }

  /** The number of the user whose turn it is. */
  final int chooseUser() {
    return users.next(this);
  }

  @Override
  public final int randomBelow(int bound) {
    return (int) ((nextRandom() >>> 32) * bound >>> 32);
  }

  @Override
  public final double randomFraction() {
    return (nextRandom() >>> 11) * 0x1.0p-53;
  }

  @Override
  public final long nextInSequence() {
    return loop.nextInSequence();
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
}
