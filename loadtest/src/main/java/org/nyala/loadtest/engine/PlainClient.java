package org.nyala.loadtest.engine;

import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.ldap.Request;

/**
 * The client of a job whose operation is one request about a person: a bind, a comparison or a
 * modification. Confined to the channel's event loop.
 */
final class PlainClient extends SingleClient {
  private static final int COMPARE_FALSE = 5;
  private static final int COMPARE_TRUE = 6;

  private final Request request;
  private final int responseTag;
  private int user;

  PlainClient(
      LoadLoop loop, long seed, LoadConnection connection, Request request, int responseTag) {
    super(loop, seed, connection);
    this.request = request;
    this.responseTag = responseTag;
  }

  @Override
  void next() {
    user = responseTag == Pdu.BIND_RESPONSE ? chooseLogin() : chooseUser();
    send(request, user, responseTag == Pdu.MODIFY_RESPONSE ? randomStamp() : 0);
  }

  @Override
  void result(LoadConnection answering, int tag, int resultCode) {
    if (!isExpected(answering, tag, responseTag)) {
      return;
    }
    if (tag == Pdu.BIND_RESPONSE) {
      loggedIn(user, resultCode);
    }
    if (tag != Pdu.COMPARE_RESPONSE) {
      ended(resultCode, true);
    } else {
      boolean isCompared = resultCode == COMPARE_TRUE || resultCode == COMPARE_FALSE;
      ended(isCompared ? 0 : resultCode, resultCode == COMPARE_TRUE);
    }
  }

  @Override
  String wrongAnswerInWords() {
    return "the comparison of " + loop().nameOf(user) + " with its own value was answered by false";
  }
}
