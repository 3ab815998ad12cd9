package org.nyala.loadtest.engine;

import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.ldap.Request;
import org.nyala.loadtest.ldap.RequestTemplate;
import org.nyala.loadtest.workload.Patterns;

/**
 * The client of a job whose operation is one request about a person: a bind, a comparison, a
 * modification; or the addition of an entry, never twice with the same name. Confined to the
 * channel's event loop.
 */
final class PlainClient extends SingleClient {
  private static final int COMPARE_FALSE = 5;
  private static final int COMPARE_TRUE = 6;

  /** The first stamp beside additions that are deleted again, whose names must be others. */
  private static final long FIRST_BESIDE = RequestTemplate.STAMP_LIMIT / 2;

  private final Request request;
  private final int responseTag;
  private int user;
  private long added;

  PlainClient(
      LoadLoop loop, long seed, LoadConnection connection, Request request, int responseTag) {
    super(loop, seed, connection);
    this.request = request;
    this.responseTag = responseTag;
  }

  @Override
  void next() {
    user =
        switch (responseTag) {
          case Pdu.BIND_RESPONSE -> chooseLogin();
          case Pdu.ADD_RESPONSE -> chooseAdded();
          default -> chooseUser();
        };
    long stamp =
        switch (responseTag) {
          case Pdu.MODIFY_RESPONSE -> randomStamp();
          case Pdu.ADD_RESPONSE -> (isPart() ? FIRST_BESIDE : 0) + added++;
          default -> 0;
        };
    send(request, user, stamp);
  }

  /** The number of the client itself, unless the entry is a pattern with people in it. */
  private int chooseAdded() {
    Patterns patterns = loop().settings().options().patterns();
    return patterns == null || patterns.entry() == null ? client() : chooseUser();
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
