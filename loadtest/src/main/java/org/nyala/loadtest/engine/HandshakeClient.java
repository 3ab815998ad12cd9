package org.nyala.loadtest.engine;

import io.netty.buffer.ByteBuf;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.ldap.ResultNames;

/**
 * Connects, completes the handshake of TLS, reads nothing of the root DSE, unbinds, over and over.
 * The answer to the read shows that the server has completed the handshake too, and brings the
 * session to resume: with TLS 1.3, a client is ready before both. Confined to the channel's event
 * loop.
 */
final class HandshakeClient extends ConnectClient {
  private final boolean resumes;
  private boolean hasSession;
  private long handshakes;

  HandshakeClient(LoadLoop loop, long seed) {
    super(loop, seed);
    resumes = loop.settings().options().rules().resumesTls();
  }

  /**
   * The number of the sessions of its next connection: always the same, so that one is found there,
   * or never.
   */
  int sessions() {
    return resumes ? client() + 1 : (int) (client() + ++handshakes * clients()) & Integer.MAX_VALUE;
  }

  /** Gets a session first if handshakes are to resume one. */
  @Override
  void prepare() {
    if (resumes) {
      connect();
    } else {
      super.prepare();
    }
  }

  @Override
  void next() {
    connect();
  }

  @Override
  void ready(LoadConnection opened) {
    opened.send(this, loop().templates().emptyRead(), 0, 0);
  }

  /** Takes the root DSE, which not every server shows. */
  @Override
  void entry(ByteBuf in, int dnStart, int dnEnd, int attributesStart, int attributesEnd) {}

  /** Takes any answer but that the server has no time: refusals show as well that it is there. */
  @Override
  void result(LoadConnection answering, int tag, int resultCode) {
    if (tag != Pdu.SEARCH_DONE) {
      answering.malformed();
      return;
    }
    leave(answering);
    if (resumes && !hasSession) {
      hasSession = true;
      startOrGoOn();
    } else {
      boolean isBusy = resultCode == ResultNames.BUSY || resultCode == ResultNames.UNAVAILABLE;
      ended(isBusy ? resultCode : 0, !resumes || answering.isResumed());
    }
  }

  @Override
  boolean wants(LoadConnection lost) {
    return resumes && !hasSession || super.wants(lost);
  }

  @Override
  String wrongAnswerInWords() {
    return "the server completed a handshake from the beginning, although the client had a session"
        + " of it to resume";
  }
}
