package org.nyala.loadtest.engine;

import org.nyala.loadtest.ldap.BerCursor;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.ldap.ResultNames;

/**
 * Adds a dynamic entry (RFC 2589), refreshes it over and over, and deletes it at the end. The
 * answer must contain the time to live: at least the requested one, since a server may shorten only
 * a time longer than a day.
 *
 * <p>Confined to the channel's event loop.
 */
final class RefreshClient extends SingleClient {
  private static final int NO_SUCH_OBJECT = 32;
  private static final int RESPONSE_TTL = 0x81;

  /** The longest time to live that a server may grant, in seconds (RFC 2589, section 4.1). */
  private static final int LONGEST_LIFE_SECONDS = 31_557_600;

  private enum State {
    ABSENT,
    ADDING,
    PRESENT,
    DELETING
  }

  private State state = State.ABSENT;
  private int lifeSeconds;

  RefreshClient(LoadLoop loop, long seed, LoadConnection connection) {
    super(loop, seed, connection);
  }

  /** Adds the entry as a part of setting up; after a reconnect it exists already. */
  @Override
  void ready(LoadConnection opened) {
    if (state == State.ABSENT || state == State.ADDING) {
      state = State.ADDING;
      send(loop().templates().addDynamic(), client());
    } else if (state == State.DELETING) {
      delete();
    } else {
      startOrGoOn();
    }
  }

  @Override
  void next() {
    lifeSeconds = 0;
    send(loop().templates().refresh(), client());
  }

  @Override
  void responseValue(BerCursor value) {
    if (value.next(Pdu.SEQUENCE) && value.isAtEnd()) {
      value.enter();
      lifeSeconds = value.next(RESPONSE_TTL) ? value.number() : 0;
    }
  }

  private boolean isLongEnough() {
    return lifeSeconds >= Templates.LIFE_SECONDS && lifeSeconds <= LONGEST_LIFE_SECONDS;
  }

  @Override
  String wrongAnswerInWords() {
    return "a dynamic entry was refreshed for "
        + (lifeSeconds == 0 ? "no time" : lifeSeconds + " s")
        + "; expected from "
        + Templates.LIFE_SECONDS
        + " s to a year";
  }

  @Override
  boolean startCleaning() {
    if (state != State.PRESENT) {
      return false;
    }
    delete();
    return true;
  }

  private void delete() {
    state = State.DELETING;
    startBeside();
    send(loop().templates().deleteDynamic(), client());
  }

  @Override
  void result(LoadConnection answering, int tag, int resultCode) {
    switch (state) {
      case ABSENT, ADDING -> added(answering, tag, resultCode);
      case DELETING -> deleted(resultCode);
      case PRESENT -> {
        if (isExpected(answering, tag, Pdu.EXTENDED_RESPONSE)) {
          ended(resultCode, isLongEnough());
        }
      }
    }
  }

  private void added(LoadConnection answering, int tag, int resultCode) {
    if (tag != Pdu.ADD_RESPONSE || resultCode != 0) {
      failed(resultCode);
      loop()
          .setupFailed(
              "a dynamic entry was refused: the server answered " + ResultNames.of(resultCode));
      answering.malformed();
      return;
    }
    state = State.PRESENT;
    startOrGoOn();
  }

  private void deleted(int resultCode) {
    state = State.ABSENT;
    if (resultCode != 0 && resultCode != NO_SUCH_OBJECT) {
      failed(resultCode);
    }
    again(loop().answeredNanos());
  }
}
