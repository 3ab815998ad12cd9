package org.nyala.loadtest;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;

/** Encodes whole LDAPMessages (RFC 4511, section 4.1.1). Not for the hot path. */
public final class Pdu {
  static final int BIND_RESPONSE = 0x61;
  static final int SEARCH_ENTRY = 0x64;
  static final int SEARCH_DONE = 0x65;
  static final int SEARCH_REFERENCE = 0x73;

  /** The smallest message id used, so that every message id takes three octets. */
  static final int FIRST_MESSAGE_ID = 0x10000;

  /** The greatest message id used. */
  static final int LAST_MESSAGE_ID = 0x7fffff;

  private static final int SEQUENCE = 0x30;
  private static final int OCTET_STRING = 0x04;
  private static final int INTEGER = 0x02;
  private static final int ENUMERATED = 0x0a;
  private static final int BOOLEAN = 0x01;
  private static final byte[] NONE = {};

  private Pdu() {}

  /** A simple bind (section 4.2). */
  public static byte[] bind(String dn, String password) {
    return message(
        element(
            0x60,
            element(INTEGER, new byte[] {3}),
            element(OCTET_STRING, utf8(dn)),
            element(0x80, utf8(password))));
  }

  /** A subtree search for all user attributes by equality (section 4.5.1). */
  public static byte[] equalitySearch(String base, String attribute, String value) {
    byte[] filter =
        element(0xa3, element(OCTET_STRING, utf8(attribute)), element(OCTET_STRING, utf8(value)));
    return search(base, filter);
  }

  /** A subtree search for everything: {@code (objectClass=*)}. */
  static byte[] scan(String base) {
    return search(base, element(0x87, utf8("objectClass")));
  }

  /** An unbind (section 4.3). */
  static byte[] unbind() {
    return message(element(0x42));
  }

  private static byte[] search(String base, byte[] filter) {
    return message(
        element(
            0x63,
            element(OCTET_STRING, utf8(base)),
            element(ENUMERATED, new byte[] {2}),
            element(ENUMERATED, new byte[] {0}),
            element(INTEGER, new byte[] {0}),
            element(INTEGER, new byte[] {0}),
            element(BOOLEAN, new byte[] {0}),
            filter,
            element(SEQUENCE)));
  }

  private static byte[] message(byte[] protocolOperation) {
    byte[] id = BigInteger.valueOf(FIRST_MESSAGE_ID).toByteArray();
    return element(SEQUENCE, element(INTEGER, id), protocolOperation);
  }

  private static byte[] utf8(String text) {
    return text.isEmpty() ? NONE : text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] element(int tag, byte[]... parts) {
    int length = 0;
    for (byte[] part : parts) {
      length += part.length;
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream(length + 6);
    out.write(tag);
    writeLength(out, length);
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  private static void writeLength(ByteArrayOutputStream out, int length) {
    if (length < 0x80) {
      out.write(length);
    } else if (length < 0x100) {
      out.write(0x81);
      out.write(length);
    } else if (length < 0x10000) {
      out.write(0x82);
      out.write(length >>> 8);
      out.write(length);
    } else {
      throw new IllegalArgumentException("request of " + length + " bytes");
    }
  }
}
