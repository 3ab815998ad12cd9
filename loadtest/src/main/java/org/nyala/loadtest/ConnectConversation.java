package org.nyala.loadtest;

import io.netty.buffer.ByteBuf;

/**
 * Connects, binds as a random person, searches that person, unbinds, over and over. Confined to the
 * channel's event loop.
 */
final class ConnectConversation extends Conversation {
  private LoadConnection connection = new LoadConnection(this);
  private int user;
  private int entries;
  private boolean isRight;
  private boolean isBound;

  ConnectConversation(LoadLoop loop, long seed) {
    super(loop, seed, false);
  }

  @Override
  void prepare() {
    loop().ready();
  }

  @Override
  void next() {
    user = randomUser();
    connection = new LoadConnection(this);
    loop().open(connection);
  }

  @Override
  void ready(LoadConnection opened) {
    isBound = false;
    entries = 0;
    isRight = true;
    opened.send(loop().templates().bind(), user);
  }

  @Override
  void entry(ByteBuf in, int dnStart, int dnEnd, int attributesLength) {
    entries++;
    isRight &= isPerson(in, dnStart, dnEnd, attributesLength, user);
  }

  @Override
  void result(LoadConnection answering, int tag, int resultCode) {
    if (tag != (isBound ? Pdu.SEARCH_DONE : Pdu.BIND_RESPONSE)) {
      malformed(answering);
    } else if (resultCode != 0) {
      statistics().failed(resultCode);
      leave(answering);
      again(System.nanoTime());
    } else if (isBound) {
      end(answering);
    } else {
      isBound = true;
      answering.send(loop().templates().search(), user);
    }
  }

  private void end(LoadConnection answering) {
    leave(answering);
    long now = System.nanoTime();
    if (entries == 1 && isRight) {
      statistics().completed(startedNanos(), startedNanos(), now);
    } else {
      statistics().wrongAnswer();
    }
    again(now);
  }

  private void leave(LoadConnection answering) {
    answering.send(loop().templates().unbind(), 0);
    answering.close();
  }

  @Override
  void closeAll() {
    connection.close();
  }
}
