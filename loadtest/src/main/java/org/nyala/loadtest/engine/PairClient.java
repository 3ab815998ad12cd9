package org.nyala.loadtest.engine;

import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.ldap.Request;
import org.nyala.loadtest.workload.Patterns;

/**
 * Sends a request and then the one that undoes it, over and over; at the end everything is as it
 * was. Both are operations. Confined to the channel's event loop.
 */
final class PairClient extends SingleClient {
  private static final int NO_SUCH_OBJECT = 32;

  private enum State {
    UNDONE,
    DOING,
    DONE,
    UNDOING,
    /** Undoing after the connection broke or the time was over: not an operation that counts. */
    CLEANING
  }

  /** The numbers that are put into the two requests of a pair. */
  private interface Numbers {
    /** The number of a person or a client. */
    int number(PairClient client);

    /** The number of the pair among those of the client. */
    default long stamp(PairClient client) {
      return client.pairs++;
    }
  }

  private final Numbers numbers;
  private final Request doing;
  private final int doingResponse;
  private final Request undoing;
  private final int undoingResponse;
  private State state = State.UNDONE;
  private int number;
  private long stamp;
  private long pairs;
  private long operation;

  private PairClient(
      LoadLoop loop,
      long seed,
      LoadConnection connection,
      Numbers numbers,
      Request doing,
      int doingResponse,
      Request undoing,
      int undoingResponse) {
    super(loop, seed, connection);
    this.numbers = numbers;
    this.doing = doing;
    this.doingResponse = doingResponse;
    this.undoing = undoing;
    this.undoingResponse = undoingResponse;
  }

  /** Adds an entry below the people and deletes it, never twice with the same name. */
  static PairClient adding(LoadLoop loop, long seed, LoadConnection connection) {
    return new PairClient(
        loop,
        seed,
        connection,
        PairClient::addedNumber,
        loop.templates().add(),
        Pdu.ADD_RESPONSE,
        loop.templates().delete(),
        Pdu.DELETE_RESPONSE);
  }

  /** Renames a random person of its own and renames it back. */
  static PairClient renaming(LoadLoop loop, long seed, LoadConnection connection) {
    return new PairClient(
        loop,
        seed,
        connection,
        PairClient::ownPerson,
        loop.templates().rename(),
        Pdu.RENAME_RESPONSE,
        loop.templates().renameBack(),
        Pdu.RENAME_RESPONSE);
  }

  private int addedNumber() {
    Patterns patterns = loop().settings().options().patterns();
    return patterns == null || patterns.entry() == null ? client() : chooseUser();
  }

  /** A person whom no other client uses, since names are unknown while they are changed. */
  private int ownPerson() {
    int first = loop().settings().options().values().first();
    int users = loop().settings().people().users();
    if (isPart()) {
      return first + loop().settings().sharedUsers() + client();
    }
    return first
        + client()
        + clients() * randomBelow((users - client() + clients() - 1) / clients());
  }

  @Override
  void ready(LoadConnection opened) {
    if (isRunning() && isInDoubt()) {
      clean();
    } else {
      startOrGoOn();
    }
  }

  /** Returns whether a request was sent whose result is unknown. */
  boolean isInDoubt() {
    return state != State.UNDONE && state != State.DONE;
  }

  @Override
  void forget() {
    super.forget();
    if (canSend()) {
      clean();
    }
  }

  /** The number of the operation that does, also for the one that undoes it. */
  @Override
  public long operation() {
    return operation;
  }

  @Override
  void next() {
    if (state == State.DONE) {
      state = State.UNDOING;
      send(undoing, number, stamp);
    } else {
      number = numbers.number(this);
      stamp = numbers.stamp(this);
      operation = super.operation();
      state = State.DOING;
      send(doing, number, stamp);
    }
  }

  @Override
  boolean startCleaning() {
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
  void result(LoadConnection answering, int tag, int resultCode) {
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
