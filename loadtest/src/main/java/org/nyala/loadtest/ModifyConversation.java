package org.nyala.loadtest;

import io.netty.buffer.ByteBuf;

/**
 * Replaces an attribute of one random person, over and over. Confined to the channel's event loop.
 */
final class ModifyConversation extends Conversation {
  private final LoadConnection connection = new LoadConnection(this);

  ModifyConversation(LoadLoop loop, long seed) {
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
    connection.send(loop().templates().replace(), randomUser(), randomStamp());
  }

  @Override
  void entry(ByteBuf in, int dnStart, int dnEnd, int attributesLength) {
    statistics().wrongAnswer();
  }

  @Override
  void result(LoadConnection answering, int tag, int resultCode) {
    if (!isRunning() || tag != Pdu.MODIFY_RESPONSE) {
      malformed(answering);
      return;
    }
    long now = System.nanoTime();
    if (resultCode == 0) {
      statistics().completed(startedNanos(), startedNanos(), now);
    } else {
      statistics().failed(resultCode);
    }
    again(now);
  }

  @Override
  void closeAll() {
    connection.close();
  }
}
