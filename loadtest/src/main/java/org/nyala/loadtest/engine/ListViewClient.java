package org.nyala.loadtest.engine;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.nyala.loadtest.ldap.BerCursor;
import org.nyala.loadtest.ldap.Controls;
import org.nyala.loadtest.ldap.ListViewTemplate;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.workload.JobOptions;
import org.nyala.loadtest.workload.LoadSettings;

/**
 * Reads windows of the sorted list of people at random offsets, like a program with a scroll bar. A
 * client that keeps to one list opens it before its first operation, and returns the server's
 * identifier of the list in each request. A client that opens a list for every window reconnects
 * for each, since a server may keep a connection's lists until it ends, and only a few of them.
 *
 * <p>Confined to the channel's event loop.
 */
final class ListViewClient extends SimulatedClient {
  private static final byte[] SORTED = Controls.SORTED.getBytes(StandardCharsets.US_ASCII);
  private static final byte[] LIST_VIEWED =
      Controls.LIST_VIEWED.getBytes(StandardCharsets.US_ASCII);
  private static final byte[] NO_CONTEXT = {};
  private static final int MAX_NAME = 64;
  private static final int NONE = -1;

  private LoadConnection connection = LoadConnection.of(this, true);
  private final boolean isNewEveryTime;
  private final boolean isOrderedByName;
  private final int window;
  private byte[] context = NO_CONTEXT;
  private ListViewTemplate template;
  private byte[] name = new byte[MAX_NAME];
  private byte[] previousName = new byte[MAX_NAME];
  private int previousLength;
  private boolean isOpening;
  private boolean isRight;
  private int offset;
  private int entries;
  private int sortResult;
  private int viewResult;
  private int viewOffset;
  private int viewCount;

  ListViewClient(LoadLoop loop, long seed, boolean isNewEveryTime) {
    super(loop, seed);
    JobOptions options = loop.settings().options();
    this.isNewEveryTime = isNewEveryTime;
    this.isOrderedByName = options.sortKey().startsWith("uid:") || "uid".equals(options.sortKey());
    this.window = Math.min(options.window(), loop.settings().people().users());
    this.template = template(loop.settings(), NO_CONTEXT);
  }

  private static ListViewTemplate template(LoadSettings settings, byte[] context) {
    JobOptions options = settings.options();
    return new ListViewTemplate(
        settings.people().base(), options.sortKey(), options.window(), context);
  }

  @Override
  void prepare() {
    if (isNewEveryTime) {
      startOrGoOn();
    } else {
      connection.open();
    }
  }

  @Override
  void ready(LoadConnection opened) {
    useContext(NO_CONTEXT);
    isOpening = !isNewEveryTime;
    request();
  }

  private void useContext(byte[] other) {
    if (!Arrays.equals(context, other)) {
      context = other;
      template = template(loop().settings(), other);
    }
  }

  @Override
  void next() {
    if (isNewEveryTime) {
      connection = LoadConnection.brief(this, true);
      connection.open();
    } else {
      request();
    }
  }

  private void request() {
    offset = 1 + randomBelow(loop().settings().people().users() - window + 1);
    entries = 0;
    isRight = true;
    previousLength = 0;
    sortResult = NONE;
    viewResult = NONE;
    connection.send(this, template.message(offset));
  }

  @Override
  void entry(ByteBuf in, int dnStart, int dnEnd, int attributesStart, int attributesEnd) {
    entries++;
    isRight &= attributesEnd > attributesStart;
    if (!isOrderedByName) {
      return;
    }
    int comma = in.indexOf(dnStart, dnEnd, (byte) ',');
    int length = Math.min((comma < 0 ? dnEnd : comma) - dnStart, MAX_NAME);
    in.getBytes(dnStart, name, 0, length);
    isRight &= Arrays.compareUnsigned(previousName, 0, previousLength, name, 0, length) < 0;
    byte[] spare = previousName;
    previousName = name;
    previousLength = length;
    name = spare;
  }

  @Override
  void control(BerCursor type, BerCursor value) {
    if (type.is(SORTED)) {
      if (value.next(Pdu.SEQUENCE)) {
        value.enter();
        sortResult = number(value, Pdu.ENUMERATED);
      }
    } else if (type.is(LIST_VIEWED) && value.next(Pdu.SEQUENCE)) {
      value.enter();
      viewOffset = number(value, Pdu.INTEGER);
      viewCount = number(value, Pdu.INTEGER);
      viewResult = number(value, Pdu.ENUMERATED);
      if (!isNewEveryTime && value.next(Pdu.OCTET_STRING) && !value.is(context)) {
        useContext(value.octets());
      }
    }
  }

  private static int number(BerCursor value, int tag) {
    return value.next(tag) ? value.number() : NONE;
  }

  @Override
  void result(LoadConnection answering, int tag, int resultCode) {
    if (!isOpening && !isRunning() || tag != Pdu.SEARCH_DONE) {
      answering.malformed();
      return;
    }
    long now = loop().answeredNanos();
    if (resultCode != 0) {
      failed(resultCode);
    } else if (!isWindow()) {
      wrongAnswer();
    } else if (!isOpening) {
      completed(now);
    }
    if (isOpening) {
      isOpening = false;
      startOrGoOn();
      return;
    }
    if (isNewEveryTime) {
      connection.send(this, loop().templates().unbind(), 0, 0);
      connection.close();
    }
    again(now);
  }

  private boolean isWindow() {
    return isRight
        && entries == window
        && sortResult == 0
        && viewResult == 0
        && viewOffset == offset
        && viewCount >= loop().settings().people().users();
  }

  @Override
  boolean canSend() {
    return isNewEveryTime || connection.isReady() && !isOpening;
  }

  @Override
  boolean wants(LoadConnection lost) {
    return lost == connection && super.wants(lost);
  }

  /** Goes on over another channel, if each list is opened anew. */
  @Override
  void lost(LoadConnection broken) {
    if (!isNewEveryTime || !isRunning() || loop().isOver(System.nanoTime())) {
      super.lost(broken);
    }
  }

  @Override
  void forget() {
    if (isNewEveryTime) {
      connection.close();
    } else {
      connection.forget(this);
    }
  }

  @Override
  void closeAll() {
    connection.close();
  }

  @Override
  String wrongAnswerInWords() {
    return "the window of "
        + window
        + " entries from "
        + offset
        + " on was answered by "
        + entries
        + " entries"
        + (isRight ? "" : ", not in order,")
        + " from "
        + viewOffset
        + " on of a list of "
        + viewCount
        + " (result of the sort: "
        + sortResult
        + ", of the list view: "
        + viewResult
        + ")";
  }
}
