package org.nyala.loadtest;

import io.netty.buffer.ByteBuf;
import java.util.BitSet;

/**
 * Takes the people in the order of their numbers, shared with the other clients of the test, and
 * replaces an attribute of each. When none is left, it reads its own again: what was answered with
 * success must be there. Confined to the channel's event loop.
 */
final class ModifyEachConversation extends Conversation {
  private static final int NOBODY = -1;

  private final LoadConnection connection = new LoadConnection(this);
  private final BitSet modified = new BitSet();
  private final long firstStamp = System.nanoTime() & 0xff_ffff;
  private int user = NOBODY;
  private boolean isChecking;
  private int entries;

  ModifyEachConversation(LoadLoop loop, long seed) {
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
    user = loop().takeUser();
    if (user < 0) {
      finish();
    } else {
      connection.send(loop().templates().replace(), user, stamp());
    }
  }

  /** What the user's entry gets: another value for every user and, most likely, every test. */
  private long stamp() {
    return (firstStamp * 50_021 + user) % RequestTemplate.STAMP_LIMIT;
  }

  @Override
  boolean startCleaning() {
    user = modified.nextSetBit(isChecking ? user : 0);
    isChecking = true;
    if (user < 0) {
      return false;
    }
    entries = 0;
    connection.send(loop().templates().replaced(), user, stamp());
    return true;
  }

  @Override
  void entry(ByteBuf in, int dnStart, int dnEnd, int attributesLength) {
    entries++;
  }

  @Override
  void result(LoadConnection answering, int tag, int resultCode) {
    if (!isRunning() || tag != (isChecking ? Pdu.SEARCH_DONE : Pdu.MODIFY_RESPONSE)) {
      malformed(answering);
      return;
    }
    long now = System.nanoTime();
    if (resultCode != 0) {
      statistics().failed(resultCode);
    } else if (!isChecking) {
      modified.set(user);
      statistics().completed(startedNanos(), startedNanos(), now);
    } else if (entries != 1) {
      statistics().wrongAnswer();
    }
    if (isChecking) {
      modified.clear(user);
    }
    again(now);
  }

  @Override
  void closeAll() {
    connection.close();
  }
}
