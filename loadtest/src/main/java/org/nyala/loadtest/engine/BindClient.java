package org.nyala.loadtest.engine;

import io.netty.buffer.ByteBuf;
import org.nyala.loadtest.ldap.Pdu;

/** Binds as a person, over and over. Confined to the channel's event loop. */
final class BindClient extends SingleClient {
  BindClient(LoadLoop loop, long seed, LoadConnection connection) {
    super(loop, seed, connection);
  }

  @Override
  void next() {
    send(loop().templates().bind(), chooseUser());
  }

  @Override
  void entry(ByteBuf in, int dnStart, int dnEnd, int attributesStart, int attributesEnd) {
    wrongAnswer();
  }

  @Override
  void result(LoadConnection answering, int tag, int resultCode) {
    if (!isExpected(answering, tag, Pdu.BIND_RESPONSE)) {
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
