package org.nyala.loadtest.engine;

import io.netty.buffer.ByteBuf;
import java.util.BitSet;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.ldap.RequestTemplate;

/**
 * Takes the people in the order of their numbers, shared with the other clients of the test, and
 * replaces an attribute of each. When none is left, it reads its own people again: a change
 * answered with success must be there. Confined to the channel's event loop.
 */
final class ModifyEachClient extends SingleClient {
  private static final int NONE = -1;

  private final BitSet modified = new BitSet();
  private final long firstStamp = System.nanoTime() & 0xff_ffff;
  private int user = NONE;
  private boolean isChecking;
  private int entries;

  ModifyEachClient(LoadLoop loop, long seed, LoadConnection connection) {
    super(loop, seed, connection);
  }

  @Override
  void next() {
    user = loop().takeUser();
    if (user < 0) {
      finish();
    } else {
      send(loop().templates().replace(), user, stamp());
    }
  }

  /**
   * The new value of the user's attribute: different for every user and, most likely, every test.
   */
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
    startBeside();
    send(loop().templates().replaced(), user, stamp());
    return true;
  }

  @Override
  void entry(ByteBuf in, int dnStart, int dnEnd, int attributesStart, int attributesEnd) {
    entries++;
  }

  @Override
  void result(LoadConnection answering, int tag, int resultCode) {
    if (!isExpected(answering, tag, isChecking ? Pdu.SEARCH_DONE : Pdu.MODIFY_RESPONSE)) {
      return;
    }
    long now = loop().answeredNanos();
    if (resultCode != 0) {
      failed(resultCode);
    } else if (!isChecking) {
      modified.set(user);
      completed(now);
    } else if (entries != 1) {
      wrongAnswer();
    }
    if (isChecking) {
      modified.clear(user);
    }
    again(now);
  }

  @Override
  String wrongAnswerInWords() {
    return "the change of "
        + loop().nameOf(user)
        + " was answered by success, but its entry does not have the new value";
  }
}
