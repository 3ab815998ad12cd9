package org.nyala.loadtest;

import io.netty.buffer.ByteBuf;

/** Searches one random person by uid, over and over. Confined to the channel's event loop. */
final class SearchConversation extends Conversation {
  private final LoadConnection connection = new LoadConnection(this);
  private int user;
  private int entries;
  private boolean isRight;

  SearchConversation(LoadLoop loop, long seed) {
    super(loop, seed, true);
  }

  @Override
  void prepare() {
    loop().open(connection);
  }

  @Override
  void ready(LoadConnection opened) {
    loop().ready();
    if (isRunning()) {
      again(System.nanoTime());
    }
  }

  @Override
  void next() {
    user = randomUser();
    entries = 0;
    isRight = true;
    connection.send(loop().templates().search(), user);
  }

  @Override
  void entry(ByteBuf in, int dnStart, int dnEnd, int attributesLength) {
    entries++;
    isRight &= isPerson(in, dnStart, dnEnd, attributesLength, user);
  }

  @Override
  void result(LoadConnection answering, int tag, int resultCode) {
    if (!isRunning() || tag != Pdu.SEARCH_DONE) {
      malformed(answering);
      return;
    }
    long now = System.nanoTime();
    if (resultCode != 0) {
      statistics().failed(resultCode);
    } else if (entries != 1 || !isRight) {
      statistics().wrongAnswer();
    } else {
      statistics().completed(startedNanos(), startedNanos(), now);
    }
    again(now);
  }

  @Override
  void closeAll() {
    connection.close();
  }
}
