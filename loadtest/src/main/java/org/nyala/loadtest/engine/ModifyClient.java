package org.nyala.loadtest.engine;

import io.netty.buffer.ByteBuf;
import org.nyala.loadtest.ldap.Pdu;

/** Replaces an attribute of one person, over and over. Confined to the channel's event loop. */
final class ModifyClient extends SingleClient {
  ModifyClient(LoadLoop loop, long seed, LoadConnection connection) {
    super(loop, seed, connection);
  }

  @Override
  void next() {
    send(loop().templates().replace(), chooseUser(), randomStamp());
  }

  @Override
  void entry(ByteBuf in, int dnStart, int dnEnd, int attributesStart, int attributesEnd) {
    wrongAnswer();
  }

  @Override
  void result(LoadConnection answering, int tag, int resultCode) {
    if (!isExpected(answering, tag, Pdu.MODIFY_RESPONSE)) {
      return;
    }
    long now = loop().answeredNanos();
    if (resultCode == 0) {
      completed(now);
    } else {
      failed(resultCode);
    }
    again(now);
  }
}
