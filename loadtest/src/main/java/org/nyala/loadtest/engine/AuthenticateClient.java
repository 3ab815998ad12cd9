package org.nyala.loadtest.engine;

import io.netty.buffer.ByteBuf;
import org.nyala.loadtest.ldap.Pdu;

/**
 * Authenticates random people as applications do: searches the login name on a service connection,
 * then binds as the DN found on a second connection. Confined to the channel's event loop.
 */
final class AuthenticateClient extends SimulatedClient {
  private static final int MAX_DN_LENGTH = 1024;

  private final LoadConnection service = LoadConnection.of(this, true);
  private final LoadConnection applicant = LoadConnection.of(this, false);
  private final byte[] dn = new byte[MAX_DN_LENGTH];
  private int dnLength;
  private int user;
  private int entries;
  private boolean isRight;
  private boolean isSample;

  AuthenticateClient(LoadLoop loop, long seed) {
    super(loop, seed);
  }

  @Override
  void prepare() {
    service.open();
    applicant.open();
  }

  @Override
  boolean canSend() {
    return service.isReady() && applicant.isReady();
  }

  @Override
  void ready(LoadConnection connection) {
    if (canSend()) {
      startOrGoOn();
    }
  }

  @Override
  void forget() {
    service.forget(this);
    applicant.forget(this);
  }

  @Override
  void next() {
    user = chooseLogin();
    entries = 0;
    isRight = true;
    isSample = loop().isNextSample();
    service.send(this, loop().templates().search(), user, 0);
  }

  @Override
  void entry(ByteBuf in, int dnStart, int dnEnd, int attributesStart, int attributesEnd) {
    entries++;
    dnLength = Math.min(dnEnd - dnStart, MAX_DN_LENGTH);
    in.getBytes(dnStart, dn, 0, dnLength);
    EntryCheck check = loop().entryCheck();
    isRight &=
        isSample
            ? check.isRight(in, dnStart, dnEnd, attributesStart, attributesEnd, user)
            : check.isLikely(in, dnStart, dnEnd, attributesStart, attributesEnd, user);
  }

  @Override
  void result(LoadConnection connection, int tag, int resultCode) {
    int expectedTag = connection == service ? Pdu.SEARCH_DONE : Pdu.BIND_RESPONSE;
    if (!isRunning() || !isUnderWay() || tag != expectedTag) {
      connection.malformed();
      return;
    }
    if (resultCode == 0 && connection == service && entries == 1 && isRight) {
      applicant.sendBind(this, dn, dnLength, loop().templates().password(), user);
    } else {
      if (connection == applicant) {
        loggedIn(user, resultCode);
      }
      ended(resultCode, connection == applicant);
    }
  }

  @Override
  void closeAll() {
    service.close();
    applicant.close();
  }

  @Override
  String wrongAnswerInWords() {
    return loop().wrongEntries(user, entries);
  }
}
