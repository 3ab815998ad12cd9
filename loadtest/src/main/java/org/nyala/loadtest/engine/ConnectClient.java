package org.nyala.loadtest.engine;

import io.netty.buffer.ByteBuf;
import org.nyala.loadtest.ldap.Pdu;

/**
 * Connects, binds as a random person, searches that person, unbinds, over and over. Confined to the
 * channel's event loop.
 */
class ConnectClient extends SimulatedClient {
  private LoadConnection connection = LoadConnection.brief(this, false);
  private int user;
  private int entries;
  private boolean isRight;
  private boolean isBound;
  private boolean isSample;

  ConnectClient(LoadLoop loop, long seed) {
    super(loop, seed);
  }

  @Override
  void prepare() {
    startOrGoOn();
  }

  @Override
  void next() {
    user = chooseLogin();
    connect();
  }

  /** Opens a connection, which is {@link #ready} then. */
  final void connect() {
    connection = LoadConnection.brief(this, false);
    connection.open();
  }

  @Override
  void ready(LoadConnection opened) {
    isBound = false;
    entries = 0;
    isRight = true;
    isSample = loop().isNextSample();
    opened.send(this, loop().templates().bind(), user, 0);
  }

  @Override
  void entry(ByteBuf in, int dnStart, int dnEnd, int attributesStart, int attributesEnd) {
    entries++;
    EntryCheck check = loop().entryCheck();
    isRight &=
        isSample
            ? check.isRight(in, dnStart, dnEnd, attributesStart, attributesEnd, user)
            : check.isLikely(in, dnStart, dnEnd, attributesStart, attributesEnd, user);
  }

  @Override
  void result(LoadConnection answering, int tag, int resultCode) {
    if (!isBound && tag == Pdu.BIND_RESPONSE) {
      loggedIn(user, resultCode);
    }
    if (tag != (isBound ? Pdu.SEARCH_DONE : Pdu.BIND_RESPONSE)) {
      answering.malformed();
    } else if (resultCode != 0) {
      leave(answering);
      ended(resultCode, false);
    } else if (isBound) {
      leave(answering);
      ended(resultCode, entries == 1 && isRight);
    } else {
      isBound = true;
      answering.send(this, loop().templates().search(), user, 0);
    }
  }

  /** Unbinds and closes. */
  final void leave(LoadConnection answering) {
    answering.send(this, loop().templates().unbind(), 0, 0);
    answering.close();
  }

  @Override
  boolean canSend() {
    return true;
  }

  @Override
  boolean wants(LoadConnection lost) {
    return lost == connection && super.wants(lost);
  }

  /** Goes on with the operation over another channel: the delay is a part of its time. */
  @Override
  void lost(LoadConnection broken) {
    if (!isRunning() || loop().isOver(System.nanoTime())) {
      super.lost(broken);
    }
  }

  @Override
  void forget() {
    connection.close();
  }

  @Override
  void closeAll() {
    connection.close();
  }

  @Override
  String wrongAnswerInWords() {
    return loop().wrongEntries(user, entries);
  }
}
