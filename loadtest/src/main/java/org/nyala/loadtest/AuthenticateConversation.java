package org.nyala.loadtest;

import io.netty.buffer.ByteBuf;

/**
 * Authenticates random people as applications do: searches the login name on a service connection,
 * then binds as the DN found on a second connection. Confined to the channel's event loop.
 */
final class AuthenticateConversation extends Conversation {
  private static final int MAX_DN_LENGTH = 1024;

  private final LoadConnection service = new LoadConnection(this);
  private final LoadConnection applicant = new LoadConnection(this);
  private final byte[] dn = new byte[MAX_DN_LENGTH];
  private int dnLength;
  private int user;
  private int entries;
  private boolean isRight;
  private boolean isServiceReady;
  private boolean isApplicantReady;
  private boolean isUnderWay;

  AuthenticateConversation(LoadLoop loop, long seed) {
    super(loop, seed, true);
  }

  @Override
  boolean isServiceConnection(LoadConnection connection) {
    return connection == service;
  }

  @Override
  void prepare() {
    loop().open(service);
    loop().open(applicant);
  }

  @Override
  void ready(LoadConnection connection) {
    isServiceReady |= connection == service;
    isApplicantReady |= connection == applicant;
    if (isServiceReady && isApplicantReady) {
      loop().ready();
      if (isRunning() && !isUnderWay) {
        again(System.nanoTime());
      }
    }
  }

  @Override
  void lost(LoadConnection connection) {
    isUnderWay = false;
    isServiceReady &= connection != service;
    isApplicantReady &= connection != applicant;
    super.lost(connection);
  }

  @Override
  void next() {
    isUnderWay = isServiceReady && isApplicantReady;
    if (isUnderWay) {
      user = randomUser();
      entries = 0;
      isRight = true;
      service.send(loop().templates().search(), user);
    }
  }

  @Override
  void entry(ByteBuf in, int dnStart, int dnEnd, int attributesLength) {
    entries++;
    dnLength = Math.min(dnEnd - dnStart, MAX_DN_LENGTH);
    in.getBytes(dnStart, dn, 0, dnLength);
    isRight &= isPerson(in, dnStart, dnEnd, attributesLength, user);
  }

  @Override
  void result(LoadConnection connection, int tag, int resultCode) {
    int expectedTag = connection == service ? Pdu.SEARCH_DONE : Pdu.BIND_RESPONSE;
    if (!isRunning() || !isUnderWay || tag != expectedTag) {
      isUnderWay = false;
      malformed(connection);
      return;
    }
    if (resultCode != 0) {
      statistics().failed(resultCode);
      again(System.nanoTime());
    } else if (connection == applicant) {
      long now = System.nanoTime();
      statistics().completed(startedNanos(), startedNanos(), now);
      again(now);
    } else if (entries == 1 && isRight) {
      applicant.sendBind(dn, dnLength, user);
    } else {
      statistics().wrongAnswer();
      again(System.nanoTime());
    }
  }

  @Override
  void closeAll() {
    service.close();
    applicant.close();
  }
}
