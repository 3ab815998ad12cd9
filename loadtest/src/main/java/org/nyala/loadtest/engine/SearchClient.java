package org.nyala.loadtest.engine;

import io.netty.buffer.ByteBuf;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.ldap.Request;

/**
 * Finds one person, over and over, by a search of the subtree or by reading the entry. Confined to
 * the channel's event loop.
 */
final class SearchClient extends SingleClient {
  private final Request request;
  private final EntryCheck check;
  private final boolean findsOne;
  private int user;
  private int entries;
  private boolean isRight;
  private boolean isSample;

  /**
   * Makes a client.
   *
   * @param request the request to send
   * @param findsOne true if every answer has exactly one entry, that of the person
   */
  SearchClient(
      LoadLoop loop, long seed, LoadConnection connection, Request request, boolean findsOne) {
    super(loop, seed, connection);
    this.request = request;
    this.findsOne = findsOne;
    this.check = loop.entryCheck();
  }

  @Override
  void next() {
    user = chooseUser();
    entries = 0;
    isRight = true;
    isSample = loop().isNextSample();
    send(request, user);
  }

  @Override
  void entry(ByteBuf in, int dnStart, int dnEnd, int attributesStart, int attributesEnd) {
    entries++;
    isRight &=
        isSample
            ? check.isRight(in, dnStart, dnEnd, attributesStart, attributesEnd, user)
            : check.isLikely(in, dnStart, dnEnd, attributesStart, attributesEnd, user);
  }

  @Override
  void result(LoadConnection answering, int tag, int resultCode) {
    if (!isExpected(answering, tag, Pdu.SEARCH_DONE)) {
      return;
    }
    ended(resultCode, isRight && (!findsOne || entries == 1));
  }

  @Override
  String wrongAnswerInWords() {
    return loop().wrongEntries(user, entries);
  }
}
