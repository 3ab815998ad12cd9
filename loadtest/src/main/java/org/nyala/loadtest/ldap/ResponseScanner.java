package org.nyala.loadtest.ldap;

import io.netty.buffer.ByteBuf;

/**
 * A scanner that finds LDAPMessages in the bytes of a server, and decodes no more of them than
 * needed.
 *
 * <p>Confined to the channel's event loop. Hot: nothing is allocated or copied.
 */
public final class ResponseScanner {
  /** A consumer of the messages found. Positions are indexes into the buffer, which is borrowed. */
  public interface Listener {
    /**
     * Returns whether a message with this id may come now. Calls until the next call of this method
     * are about this message.
     */
    boolean expects(int messageId);

    /** Takes a search result entry whose DN and attribute list lie at these places. */
    void entry(ByteBuf in, int dnStart, int dnEnd, int attributesStart, int attributesEnd);

    /** Takes a response that ends a request; {@code tag} is the protocolOp's. */
    void result(int messageId, int tag, int resultCode);

    /**
     * Takes a control of an entry or of a response that ends a request, before the entry or the
     * response. The elements' name and value are borrowed for the call.
     */
    default void control(BerCursor name, BerCursor value) {}

    /**
     * Takes the URLs of a search result reference, or of a referral before its result (RFC 4511,
     * sections 4.5.3 and 4.1.10); borrowed for the call.
     */
    default void referral(BerCursor urls) {}

    /** Takes an intermediate response with a name; both elements are borrowed for the call. */
    default void intermediate(BerCursor name, BerCursor value) {}

    /**
     * Takes the value of an extended response, before the response; the element is borrowed for the
     * call.
     */
    default void responseValue(BerCursor value) {}

    /**
     * Takes the server's credentials of a bind by SASL, before the response (RFC 4511, section
     * 4.2.2); the element is borrowed for the call.
     */
    default void serverCredentials(BerCursor value) {}
  }

  /** The greatest message accepted, in bytes. */
  static final int MAX_MESSAGE = 64 << 20;

  private static final int MALFORMED = -1;
  private static final int INCOMPLETE = -2;

  private static final int CONTROLS = 0xa0;
  private static final int BOOLEAN = 0x01;
  private static final int NAME_AND_MESSAGE = 2;
  private static final int REFERRAL = 0xa3;
  private static final int RESPONSE_NAME = 0x8a;
  private static final int RESPONSE_VALUE = 0x8b;
  private static final int SERVER_CREDENTIALS = 0x87;
  private static final int INTERMEDIATE_NAME = 0x80;
  private static final int INTERMEDIATE_VALUE = 0x81;

  /** The length of a result without names, texts and anything that follows. */
  private static final int SHORTEST_RESULT = 7;

  private final Listener listener;
  private final BerCursor controls = new BerCursor();
  private final BerCursor control = new BerCursor();
  private final BerCursor controlValue = new BerCursor();
  private int contentLength;

  public ResponseScanner(Listener listener) {
    this.listener = listener;
  }

  /**
   * Reports the whole messages and moves the reader index past them.
   *
   * @return false if the bytes are not answers to the expected request
   */
  public boolean scan(ByteBuf in) {
    while (in.readableBytes() >= 2) {
      int start = in.readerIndex();
      if (in.getByte(start) != 0x30) {
        return false;
      }
      int content = readLength(in, start + 1, in.writerIndex());
      if (content == INCOMPLETE) {
        return true;
      }
      if (content == MALFORMED || contentLength > MAX_MESSAGE) {
        return false;
      }
      int end = content + contentLength;
      if (end > in.writerIndex()) {
        return true;
      }
      in.readerIndex(end);
      if (!message(in, content, end)) {
        return false;
      }
    }
    return true;
  }

  /**
   * The number of bytes missing in the message that {@code in} begins with, as far as it is known;
   * 1 if its length is incomplete.
   */
  int missing(ByteBuf in) {
    int start = in.readerIndex();
    int content = readLength(in, start + 1, in.writerIndex());
    return content < 0 ? 1 : Math.max(1, content + contentLength - in.writerIndex());
  }

  private boolean message(ByteBuf in, int at, int end) {
    if (at + 3 > end || in.getByte(at) != 0x02) {
      return false;
    }
    int idLength = in.getByte(at + 1);
    int operation = at + 2 + idLength;
    if (idLength < 1 || idLength > 4 || operation + 2 > end) {
      return false;
    }
    int id = 0;
    for (int i = at + 2; i < operation; i++) {
      id = id << 8 | in.getByte(i) & 0xff;
    }
    int tag = in.getByte(operation) & 0xff;
    int body = readLength(in, operation + 1, end);
    if (body < 0 || contentLength > end - body || !listener.expects(id)) {
      return false;
    }
    return switch (tag) {
      case Pdu.SEARCH_ENTRY -> entry(in, body, body + contentLength, end);
      case Pdu.SEARCH_REFERENCE -> reference(in, body, body + contentLength);
      case Pdu.INTERMEDIATE_RESPONSE -> intermediate(in, body, body + contentLength);
      default -> result(in, id, tag, body, end);
    };
  }

  private boolean entry(ByteBuf in, int at, int end, int messageEnd) {
    if (at + 2 > end || in.getByte(at) != 0x04) {
      return false;
    }
    int dnStart = readLength(in, at + 1, end);
    if (dnStart < 0 || contentLength > end - dnStart - 2) {
      return false;
    }
    int dnEnd = dnStart + contentLength;
    int attributes = in.getByte(dnEnd) == 0x30 ? readLength(in, dnEnd + 1, end) : MALFORMED;
    if (attributes < 0 || contentLength != end - attributes) {
      return false;
    }
    if (end < messageEnd && !controls(in, end, messageEnd)) {
      return false;
    }
    listener.entry(in, dnStart, dnEnd, attributes, end);
    return true;
  }

  private boolean reference(ByteBuf in, int at, int end) {
    control.reset(in, at, end);
    listener.referral(control);
    return true;
  }

  /** Reads an intermediate response (RFC 4511, section 4.13). */
  private boolean intermediate(ByteBuf in, int at, int end) {
    control.reset(in, at, end);
    if (!control.next(INTERMEDIATE_NAME)) {
      return true;
    }
    controlValue.reset(in, control.contentEnd(), end);
    if (!controlValue.isAtEnd()) {
      if (!controlValue.next(INTERMEDIATE_VALUE)) {
        return false;
      }
      controlValue.enter();
    }
    listener.intermediate(control, controlValue);
    return true;
  }

  private boolean result(ByteBuf in, int id, int tag, int at, int messageEnd) {
    int end = at + contentLength;
    if (at + 3 > end || in.getByte(at) != 0x0a) {
      return false;
    }
    int octets = in.getByte(at + 1);
    int behindCode = at + 2 + octets;
    if (octets < 1 || octets > 2 || behindCode > end) {
      return false;
    }
    int resultCode = octets == 1 ? in.getByte(at + 2) & 0xff : in.getUnsignedShort(at + 2);
    if (end < messageEnd && !controls(in, end, messageEnd)) {
      return false;
    }
    if (tag == Pdu.EXTENDED_RESPONSE && !extended(in, behindCode, end)) {
      return false;
    }
    if (tag == Pdu.BIND_RESPONSE && end - at > SHORTEST_RESULT && !bound(in, behindCode, end)) {
      return false;
    }
    if (resultCode == ResultNames.REFERRAL && !referral(in, behindCode, end)) {
      return false;
    }
    listener.result(id, tag, resultCode);
    return true;
  }

  /** Reads the part of an extended response behind the result code (RFC 4511, section 4.12). */
  private boolean extended(ByteBuf in, int at, int end) {
    if (!passResult(in, at, end) || !skip(RESPONSE_NAME)) {
      return false;
    }
    if (control.isNext(RESPONSE_VALUE)) {
      if (!control.next(RESPONSE_VALUE) || !control.isAtEnd()) {
        return false;
      }
      control.enter();
      listener.responseValue(control);
      return true;
    }
    return control.isAtEnd();
  }

  private boolean referral(ByteBuf in, int at, int end) {
    control.reset(in, at, end);
    for (int i = 0; i < NAME_AND_MESSAGE; i++) {
      if (!control.next(Pdu.OCTET_STRING)) {
        return false;
      }
    }
    if (control.isNext(REFERRAL)) {
      if (!control.next(REFERRAL)) {
        return false;
      }
      control.enter();
      listener.referral(control);
    }
    return true;
  }

  /** Reads the part of a bind response behind the result code (RFC 4511, section 4.2.2). */
  private boolean bound(ByteBuf in, int at, int end) {
    if (!passResult(in, at, end)) {
      return false;
    }
    if (control.isNext(SERVER_CREDENTIALS)) {
      if (!control.next(SERVER_CREDENTIALS)) {
        return false;
      }
      listener.serverCredentials(control);
    }
    return true;
  }

  /** Passes over the names, texts and referrals of a result (RFC 4511, section 4.1.9). */
  private boolean passResult(ByteBuf in, int at, int end) {
    control.reset(in, at, end);
    for (int i = 0; i < NAME_AND_MESSAGE; i++) {
      if (!control.next(Pdu.OCTET_STRING)) {
        return false;
      }
    }
    return skip(REFERRAL);
  }

  /** Passes over an optional element; returns false if it is not whole. */
  private boolean skip(int tag) {
    return !control.isNext(tag) || control.next(tag);
  }

  private boolean controls(ByteBuf in, int at, int end) {
    controls.reset(in, at, end);
    if (!controls.next(CONTROLS) || !controls.isAtEnd()) {
      return false;
    }
    controls.enter();
    while (!controls.isAtEnd()) {
      if (!controls.next(Pdu.SEQUENCE)) {
        return false;
      }
      control.reset(in, controls.contentStart(), controls.contentEnd());
      if (!control.next(Pdu.OCTET_STRING)) {
        return false;
      }
      if (!enterValue(in, control.contentEnd(), controls.contentEnd())) {
        return false;
      }
      listener.control(control, controlValue);
    }
    return true;
  }

  /** Moves behind the criticality and into the value; to the end if there is no value. */
  private boolean enterValue(ByteBuf in, int at, int end) {
    controlValue.reset(in, at, end);
    if (controlValue.isNext(BOOLEAN) && !controlValue.next(BOOLEAN)) {
      return false;
    }
    if (controlValue.isAtEnd()) {
      controlValue.reset(in, end, end);
      return true;
    }
    if (!controlValue.next(Pdu.OCTET_STRING) || !controlValue.isAtEnd()) {
      return false;
    }
    controlValue.enter();
    return true;
  }

  /**
   * Reads the length octets at {@code at} into {@link #contentLength}; returns the place at which
   * the content begins, or a negative number.
   */
  private int readLength(ByteBuf in, int at, int limit) {
    if (at >= limit) {
      return INCOMPLETE;
    }
    int first = in.getByte(at);
    if (first >= 0) {
      contentLength = first;
      return at + 1;
    }
    int octets = first & 0x7f;
    if (octets < 1 || octets > 4) {
      return MALFORMED;
    }
    if (at + octets >= limit) {
      return INCOMPLETE;
    }
    int length = 0;
    for (int i = 1; i <= octets; i++) {
      length = length << 8 | in.getByte(at + i) & 0xff;
    }
    contentLength = length;
    return length < 0 ? MALFORMED : at + 1 + octets;
  }
}
