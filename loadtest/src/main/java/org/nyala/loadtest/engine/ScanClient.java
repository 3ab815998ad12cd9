package org.nyala.loadtest.engine;

import io.netty.buffer.ByteBuf;
import org.nyala.loadtest.ldap.Pdu;

/**
 * Reads the whole subtree, over and over; every time it must be the same number of entries.
 * Confined to the channel's event loop.
 */
class ScanClient extends SingleClient {
  private long entries;
  private int entriesOfRead;
  private long heardNanos;
  private boolean isSample;
  private boolean isRight = true;

  ScanClient(LoadLoop loop, long seed, LoadConnection connection) {
    super(loop, seed, connection);
  }

  @Override
  void next() {
    entries = 0;
    entriesOfRead = 0;
    heardNanos = sentNanos();
    isSample = loop().isNextSample();
    send(loop().templates().scan(), 0);
  }

  @Override
  void entry(ByteBuf in, int dnStart, int dnEnd, int attributesStart, int attributesEnd) {
    entriesOfRead++;
    if (isSample) {
      isRight &=
          loop().entryCheck().isWellFormed(in, dnStart, dnEnd, attributesStart, attributesEnd);
    }
  }

  @Override
  long waitingSinceNanos() {
    return heardNanos;
  }

  @Override
  boolean hearsOfReads() {
    return true;
  }

  @Override
  void readEnded(LoadConnection reading) {
    long now = loop().answeredNanos();
    countRead(now);
    if (isRunning() && isUnderWay() && !statistics().isScheduled() && statistics().isOver(now)) {
      breakOff();
    }
  }

  private void countRead(long now) {
    heardNanos = now;
    entries += entriesOfRead;
    statistics().units(entriesOfRead, now);
    entriesOfRead = 0;
  }

  /** Returns whether an answer with this many entries may be the whole one. */
  boolean isWhole(long received) {
    return loop().isSizeOfDirectory(received);
  }

  @Override
  final void result(LoadConnection answering, int tag, int resultCode) {
    if (!isExpected(answering, tag, Pdu.SEARCH_DONE)) {
      return;
    }
    countRead(loop().answeredNanos());
    boolean isComplete = resultCode == 0 && isRight && isWhole(entries);
    isRight = true;
    ended(resultCode, isComplete);
  }

  @Override
  String wrongAnswerInWords() {
    return loop().wrongSize(entries);
  }
}
