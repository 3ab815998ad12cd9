package org.nyala.loadtest.engine;

import io.netty.buffer.ByteBuf;
import org.nyala.loadtest.ldap.Pdu;

/**
 * Compares a person's name with the actual one, over and over. Confined to the channel's event
 * loop.
 */
final class CompareClient extends SingleClient {
  private static final int COMPARE_FALSE = 5;
  private static final int COMPARE_TRUE = 6;

  CompareClient(LoadLoop loop, long seed, LoadConnection connection) {
    super(loop, seed, connection);
  }

  @Override
  void next() {
    send(loop().templates().compare(), chooseUser());
  }

  @Override
  void entry(ByteBuf in, int dnStart, int dnEnd, int attributesStart, int attributesEnd) {
    wrongAnswer();
  }

  @Override
  void result(LoadConnection answering, int tag, int resultCode) {
    if (!isExpected(answering, tag, Pdu.COMPARE_RESPONSE)) {
      return;
    }
    long now = loop().answeredNanos();
    if (resultCode == COMPARE_TRUE) {
      completed(now);
    } else if (resultCode == COMPARE_FALSE || resultCode == 0) {
      wrongAnswer();
    } else {
      failed(resultCode);
    }
    again(now);
  }
}
