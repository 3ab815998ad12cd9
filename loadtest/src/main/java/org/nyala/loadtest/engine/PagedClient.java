package org.nyala.loadtest.engine;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.nyala.loadtest.ldap.BerCursor;
import org.nyala.loadtest.ldap.Controls;
import org.nyala.loadtest.ldap.Pdu;

/**
 * Reads the whole subtree page by page, over and over; every time it must be the same number of
 * entries. Confined to the channel's event loop.
 */
final class PagedClient extends SingleClient {
  private static final byte[] PAGED_RESULTS =
      Controls.PAGED_RESULTS.getBytes(StandardCharsets.US_ASCII);
  private static final byte[] NO_COOKIE = {};

  private final int pageSize;
  private byte[] cookie = NO_COOKIE;
  private boolean hasControl;
  private long entries;
  private int entriesOfPage;

  PagedClient(LoadLoop loop, long seed, LoadConnection connection) {
    super(loop, seed, connection);
    this.pageSize = loop.settings().options().pageSize();
  }

  @Override
  void ready(LoadConnection opened) {
    restart();
    super.ready(opened);
  }

  @Override
  void forget() {
    super.forget();
    restart();
  }

  /** Begins with the first page: a cookie is valid on its own connection only. */
  private void restart() {
    cookie = NO_COOKIE;
    entries = 0;
  }

  @Override
  void next() {
    hasControl = false;
    entriesOfPage = 0;
    connection()
        .send(
            this,
            Pdu.controlledSearch(
                loop().settings().people().base(),
                Pdu.anything(),
                new String[0],
                Controls.page(pageSize, cookie)));
  }

  @Override
  void entry(ByteBuf in, int dnStart, int dnEnd, int attributesStart, int attributesEnd) {
    entriesOfPage++;
  }

  @Override
  void control(BerCursor name, BerCursor value) {
    if (!name.is(PAGED_RESULTS) || !value.next(Pdu.SEQUENCE)) {
      return;
    }
    value.enter();
    if (value.next(Pdu.INTEGER) && value.next(Pdu.OCTET_STRING)) {
      hasControl = true;
      cookie = value.octets();
    }
  }

  @Override
  void result(LoadConnection answering, int tag, int resultCode) {
    if (!isExpected(answering, tag, Pdu.SEARCH_DONE)) {
      return;
    }
    long now = loop().answeredNanos();
    entries += entriesOfPage;
    boolean isLast = cookie.length == 0;
    if (resultCode != 0) {
      failed(resultCode);
      restart();
    } else if (!hasControl
        || entriesOfPage > pageSize
        || isLast && !loop().isSizeOfDirectory(entries)) {
      wrongAnswer();
      restart();
    } else {
      statistics().units(entriesOfPage, now);
      completed(now);
    }
    if (isLast) {
      restart();
    }
    again(now);
  }

  @Override
  String wrongAnswerInWords() {
    if (!hasControl) {
      return "a page came without the control of paged results";
    }
    return entriesOfPage > pageSize
        ? "a page of " + pageSize + " entries was answered by " + entriesOfPage
        : loop().wrongSize(entries);
  }
}
