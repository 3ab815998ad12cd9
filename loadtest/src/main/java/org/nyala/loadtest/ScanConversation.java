package org.nyala.loadtest;

import io.netty.buffer.ByteBuf;

/**
 * Reads the whole subtree, over and over; every time it must be the same number of entries.
 * Confined to the channel's event loop.
 */
final class ScanConversation extends Conversation {
  private final LoadConnection connection = new LoadConnection(this);
  private long entries;
  private int entriesOfRead;

  ScanConversation(LoadLoop loop, long seed) {
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
    entries = 0;
    connection.send(loop().templates().scan(), 0);
  }

  @Override
  void entry(ByteBuf in, int dnStart, int dnEnd, int attributesLength) {
    entriesOfRead++;
  }

  @Override
  void readEnded(LoadConnection reading) {
    long now = System.nanoTime();
    countRead(now);
    if (isRunning() && statistics().isOver(now)) {
      stop();
    }
  }

  private void countRead(long now) {
    entries += entriesOfRead;
    statistics().units(entriesOfRead, now);
    entriesOfRead = 0;
  }

  @Override
  void result(LoadConnection answering, int tag, int resultCode) {
    if (!isRunning() || tag != Pdu.SEARCH_DONE) {
      malformed(answering);
      return;
    }
    long now = System.nanoTime();
    countRead(now);
    if (resultCode != 0) {
      statistics().failed(resultCode);
    } else if (!loop().isSizeOfDirectory(entries)) {
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
