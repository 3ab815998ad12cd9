package org.nyala.loadtest.engine;

import org.nyala.loadtest.ldap.Request;

/**
 * Sends a request and then the one that undoes it, over and over; at the end everything is as it
 * was. Both are operations. Confined to the channel's event loop.
 */
abstract class PairClient extends SingleClient {
  private static final int NO_SUCH_OBJECT = 32;

  private enum State {
    UNDONE,
    DOING,
    DONE,
    UNDOING,
    /** Undoing after the connection broke or the time was over: not an operation that counts. */
    CLEANING
  }

  private final Request doing;
  private final int doingResponse;
  private final Request undoing;
  private final int undoingResponse;
  private State state = State.UNDONE;
  private int number;
  private long stamp;
  private long operation;

  PairClient(
      LoadLoop loop,
      long seed,
      LoadConnection connection,
      Request doing,
      int doingResponse,
      Request undoing,
      int undoingResponse) {
    super(loop, seed, connection);
    this.doing = doing;
    this.doingResponse = doingResponse;
    this.undoing = undoing;
    this.undoingResponse = undoingResponse;
  }

  /** The number to put into the next two requests. */
  abstract int chooseNumber();

  /** The stamp to put into the next two requests. */
  abstract long chooseStamp();

  @Override
  final void ready(LoadConnection opened) {
    if (isRunning() && isInDoubt()) {
      clean();
    } else {
      startOrGoOn();
    }
  }

  /** Returns whether a request was sent whose result is unknown. */
  final boolean isInDoubt() {
    return state != State.UNDONE && state != State.DONE;
  }

  @Override
  final void forget() {
    super.forget();
    if (canSend()) {
      clean();
    }
  }

  /** The number of the operation that does, also for the one that undoes it. */
  @Override
  public final long operation() {
    return operation;
  }

  @Override
  final void next() {
    if (state == State.DONE) {
      state = State.UNDOING;
      send(undoing, number, stamp);
    } else {
      number = chooseNumber();
      stamp = chooseStamp();
      operation = super.operation();
      state = State.DOING;
      send(doing, number, stamp);
    }
  }

  @Override
  final boolean startCleaning() {
    if (state != State.DONE) {
      return false;
    }
    clean();
    return true;
  }

  private void clean() {
    state = State.CLEANING;
    startBeside();
    send(undoing, number, stamp);
  }

  @Override
  final void result(LoadConnection answering, int tag, int resultCode) {
    if (!isExpected(answering, tag, state == State.DOING ? doingResponse : undoingResponse)) {
      return;
    }
    long now = loop().answeredNanos();
    boolean isCleaning = state == State.CLEANING;
    if (resultCode != 0) {
      state = State.UNDONE;
      if (!isCleaning || resultCode != NO_SUCH_OBJECT) {
        failed(resultCode);
      }
    } else {
      state = state == State.DOING ? State.DONE : State.UNDONE;
      if (!isCleaning) {
        completed(now);
      }
    }
    again(now);
  }
}
