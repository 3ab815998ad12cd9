package org.nyala.netty.codec;

import io.netty.buffer.ByteBuf;

/**
 * Finds the end of one LDAPMessage without reading into it (RFC 4511, section 5.1: definite lengths
 * only). Hot.
 */
public final class LdapFraming {
  /** Returned if the header itself has not arrived yet. */
  public static final int INCOMPLETE = -1;

  /** Returned if the bytes are not the beginning of an LDAPMessage. */
  static final int NOT_LDAP = -2;

  /** Returned if the message is longer than allowed. */
  public static final int TOO_LONG = -3;

  private static final int LENGTH_OCTETS_MAXIMUM = 4;

  private LdapFraming() {}

  /**
   * Returns the length in bytes, header included, of the message that begins at the reader index;
   * it may be more than has arrived. Otherwise returns one of the negative constants. Judges by the
   * header alone, so that nothing is buffered for a message that will be refused.
   *
   * @param in the bytes that have arrived
   * @param limit the longest message allowed, in bytes with its header
   */
  public static int messageLength(ByteBuf in, int limit) {
    int available = in.readableBytes();
    if (available == 0) {
      return INCOMPLETE;
    }
    int at = in.readerIndex();
    if (in.getByte(at) != LdapTags.SEQUENCE) {
      return NOT_LDAP;
    }
    if (available == 1) {
      return INCOMPLETE;
    }
    int first = in.getByte(at + 1);
    if (first >= 0) {
      return withinLimit(first + 2L, limit);
    }
    int octets = first & 0x7f;
    if (octets == 0 || octets > LENGTH_OCTETS_MAXIMUM) {
      return NOT_LDAP;
    }
    if (available < 2 + octets) {
      return INCOMPLETE;
    }
    long length = 0;
    for (int i = 0; i < octets; i++) {
      length = length << 8 | in.getUnsignedByte(at + 2 + i);
    }
    return withinLimit(2L + octets + length, limit);
  }

  /**
   * Returns whether the whole message that begins at the reader index is an extended request. A
   * message that is malformed, or of whose message id the length is not in its short form, may be
   * taken for either.
   */
  public static boolean isExtendedRequest(ByteBuf in) {
    int end = in.writerIndex();
    int at = in.readerIndex() + 1;
    int first = in.getByte(at);
    at += first >= 0 ? 1 : 1 + (first & 0x7f);
    if (at + 1 >= end) {
      return false;
    }
    at += 2 + in.getByte(at + 1);
    return at > 0 && at < end && in.getByte(at) == (byte) LdapTags.EXTENDED_REQUEST;
  }

  private static int withinLimit(long length, int limit) {
    return length > limit ? TOO_LONG : (int) length;
  }
}
