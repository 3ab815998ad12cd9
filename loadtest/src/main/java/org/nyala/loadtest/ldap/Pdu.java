package org.nyala.loadtest.ldap;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** An encoder of whole LDAPMessages (RFC 4511, section 4.1.1). Not for the hot path. */
public final class Pdu {
  public static final int BIND_RESPONSE = 0x61;
  public static final int SEARCH_ENTRY = 0x64;
  public static final int SEARCH_DONE = 0x65;
  public static final int SEARCH_REFERENCE = 0x73;
  public static final int MODIFY_RESPONSE = 0x67;
  public static final int ADD_RESPONSE = 0x69;
  public static final int DELETE_RESPONSE = 0x6b;
  public static final int RENAME_RESPONSE = 0x6d;
  public static final int COMPARE_RESPONSE = 0x6f;
  public static final int EXTENDED_RESPONSE = 0x78;
  static final int INTERMEDIATE_RESPONSE = 0x79;

  /** The smallest message id used, so that every message id takes three octets. */
  public static final int FIRST_MESSAGE_ID = 0x10000;

  /** The greatest message id used. */
  public static final int LAST_MESSAGE_ID = 0x7fffff;

  public static final int SEQUENCE = 0x30;
  public static final int OCTET_STRING = 0x04;
  public static final int INTEGER = 0x02;
  public static final int ENUMERATED = 0x0a;
  static final int BOOLEAN = 0x01;
  public static final int SET = 0x31;
  private static final byte[] TRUE = {(byte) 0xff};
  private static final byte[] FALSE = {0};
  private static final byte[] NONE = {};

  private Pdu() {}

  /** A simple bind (section 4.2). */
  public static byte[] bind(String dn, String password) {
    return message(
        element(0x60, element(INTEGER, new byte[] {3}), text(dn), element(0x80, utf8(password))));
  }

  /** A bind by SASL (section 4.2): the first request, or one that continues it. */
  public static byte[] saslBind(String mechanism, byte[] credentials) {
    byte[] sasl = element(0xa3, text(mechanism), element(OCTET_STRING, credentials));
    return message(element(0x60, element(INTEGER, new byte[] {3}), text(""), sasl));
  }

  /** A subtree search for all user attributes by equality (section 4.5.1). */
  public static byte[] equalitySearch(String base, String attribute, String value) {
    return search(base, equality(attribute, value));
  }

  /** A subtree search for everything: {@code (objectClass=*)}. */
  public static byte[] scan(String base) {
    return search(base, anything());
  }

  /** A read of one entry if its attribute has the value; without attributes (section 4.5.1.8). */
  public static byte[] baseSearch(String dn, String attribute, String value) {
    return message(searchOperation(dn, 0, equality(attribute, value), text("1.1")));
  }

  /**
   * A subtree search with controls.
   *
   * @param attributes the attributes to return of the entries; all user attributes if there are
   *     none
   * @param controls whole controls, see {@link #control}
   */
  public static byte[] controlledSearch(
      String base, byte[] filter, String[] attributes, byte[]... controls) {
    return message(searchOperation(base, 2, filter, texts(attributes)), element(0xa0, controls));
  }

  /** A read of one entry with all its user attributes. */
  public static byte[] read(String dn) {
    return message(searchOperation(dn, 0, anything()));
  }

  /** A read of the root DSE without its attributes (section 4.5.1.8). */
  public static byte[] emptyRead() {
    return message(searchOperation("", 0, anything(), text("1.1")));
  }

  /** A search with a filter of {@link Filters}; {@code scope} as in section 4.5.1.2. */
  public static byte[] filteredSearch(String base, int scope, byte[] filter) {
    return message(searchOperation(base, scope, filter));
  }

  /**
   * A search as it is recorded in a log.
   *
   * @param attributes the attributes to return; all user attributes if there are none
   */
  public static byte[] loggedSearch(
      String base, int scope, int deref, byte[] filter, String... attributes) {
    return message(searchOperation(base, scope, deref, filter, texts(attributes)));
  }

  /**
   * A search.
   *
   * @param scope the octet of the scope (section 4.5.1.2)
   * @param attributes the attributes to return; all user attributes if there are none
   */
  public static byte[] search(String base, byte[] scope, byte[] filter, String... attributes) {
    return message(searchOperation(base, scope, 0, filter, texts(attributes)));
  }

  /** A comparison (section 4.10). */
  public static byte[] compare(String dn, String attribute, String value) {
    byte[] assertion = element(SEQUENCE, text(attribute), text(value));
    return message(element(0x6e, text(dn), assertion));
  }

  /** Requests a time to live of a dynamic entry, in seconds (RFC 2589, section 4.1). */
  public static byte[] refresh(String dn, int seconds) {
    byte[] ttl = integer(seconds);
    ttl[0] = (byte) 0x81;
    byte[] value = element(SEQUENCE, element(0x80, utf8(dn)), ttl);
    return message(
        element(0x77, element(0x80, utf8("1.3.6.1.4.1.1466.101.119.1")), element(0x81, value)));
  }

  /** Asks for TLS (section 4.14). */
  public static byte[] startTls() {
    return message(element(0x77, element(0x80, utf8("1.3.6.1.4.1.1466.20037"))));
  }

  /** A modification that replaces the values of one attribute by one (section 4.6). */
  public static byte[] replace(String dn, String attribute, String value) {
    return modify(dn, change(2, attribute, value));
  }

  /** A modification (section 4.6) by changes, each as {@link #change}. */
  public static byte[] modify(String dn, byte[]... changes) {
    return message(element(0x66, text(dn), element(SEQUENCE, changes)));
  }

  /** A change of an attribute: 0 adds the value, 1 deletes it, 2 replaces all by it. */
  public static byte[] change(int operation, String attribute, String value) {
    return element(
        SEQUENCE, element(ENUMERATED, new byte[] {(byte) operation}), attribute(attribute, value));
  }

  /** An addition (section 4.7) of an entry with these attributes, each as {@link #attribute}. */
  public static byte[] add(String dn, byte[]... attributes) {
    return message(element(0x68, text(dn), element(SEQUENCE, attributes)));
  }

  /** A deletion (section 4.8). */
  public static byte[] delete(String dn) {
    return message(element(0x4a, utf8(dn)));
  }

  /** A new RDN for an entry, without keeping the values of the old one (section 4.9). */
  public static byte[] rename(String dn, String newRdn) {
    return message(element(0x6c, text(dn), text(newRdn), element(BOOLEAN, TRUE)));
  }

  /** A new password for a user (RFC 3062), which the server stores by its own scheme. */
  public static byte[] passwordModify(String dn, String password) {
    byte[] value = element(SEQUENCE, element(0x80, utf8(dn)), element(0x82, utf8(password)));
    return message(
        element(0x77, element(0x80, utf8("1.3.6.1.4.1.4203.1.11.1")), element(0x81, value)));
  }

  /** A new password for a user who proves to know the old one. */
  public static byte[] passwordModify(String dn, String old, String password) {
    byte[] value =
        element(
            SEQUENCE,
            element(0x80, utf8(dn)),
            element(0x81, utf8(old)),
            element(0x82, utf8(password)));
    return message(
        element(0x77, element(0x80, utf8("1.3.6.1.4.1.4203.1.11.1")), element(0x81, value)));
  }

  /** An attribute with its values (section 4.1.7). */
  public static byte[] attribute(String type, String... values) {
    return element(SEQUENCE, text(type), element(SET, texts(values)));
  }

  /** A critical control (section 4.1.11). */
  static byte[] control(String oid, byte[] value) {
    return element(SEQUENCE, text(oid), element(BOOLEAN, TRUE), element(OCTET_STRING, value));
  }

  /** A critical control without a value. */
  static byte[] control(String oid) {
    return element(SEQUENCE, text(oid), element(BOOLEAN, TRUE));
  }

  /**
   * A control.
   *
   * @param value the element of its value; empty for none
   */
  public static byte[] control(String oid, boolean isCritical, byte[] value) {
    return element(SEQUENCE, text(oid), isCritical ? element(BOOLEAN, TRUE) : NONE, value);
  }

  /** An equality filter. */
  public static byte[] equality(String attribute, String value) {
    return element(0xa3, text(attribute), text(value));
  }

  /** The filter that every entry passes. */
  public static byte[] anything() {
    return element(0x87, utf8("objectClass"));
  }

  /** An INTEGER in as few octets as it takes. */
  public static byte[] integer(long value) {
    return element(INTEGER, BigInteger.valueOf(value).toByteArray());
  }

  /** The place of the three octets of a message's id. */
  public static int messageIdPlace(byte[] message) {
    int lengthOctets = (message[1] & 0x80) == 0 ? 1 : 1 + (message[1] & 0x7f);
    return 1 + lengthOctets + 2;
  }

  /** An unbind (section 4.3). */
  public static byte[] unbind() {
    return message(element(0x42));
  }

  private static byte[] text(String value) {
    return element(OCTET_STRING, utf8(value));
  }

  private static byte[][] texts(String... values) {
    return Arrays.stream(values).map(Pdu::text).toArray(byte[][]::new);
  }

  private static byte[] search(String base, byte[] filter) {
    return message(searchOperation(base, 2, filter));
  }

  private static byte[] searchOperation(
      String base, int scope, byte[] filter, byte[]... attributes) {
    return searchOperation(base, scope, 0, filter, attributes);
  }

  private static byte[] searchOperation(
      String base, int scope, int deref, byte[] filter, byte[]... attributes) {
    return searchOperation(base, new byte[] {(byte) scope}, deref, filter, attributes);
  }

  private static byte[] searchOperation(
      String base, byte[] scope, int deref, byte[] filter, byte[]... attributes) {
    return element(
        0x63,
        text(base),
        element(ENUMERATED, scope),
        element(ENUMERATED, new byte[] {(byte) deref}),
        element(INTEGER, new byte[] {0}),
        element(INTEGER, new byte[] {0}),
        element(BOOLEAN, FALSE),
        filter,
        element(SEQUENCE, attributes));
  }

  private static byte[] message(byte[] protocolOperation) {
    return message(protocolOperation, NONE);
  }

  private static byte[] message(byte[] protocolOperation, byte[] controls) {
    return element(SEQUENCE, integer(FIRST_MESSAGE_ID), protocolOperation, controls);
  }

  public static byte[] utf8(String text) {
    return text.isEmpty() ? NONE : text.getBytes(StandardCharsets.UTF_8);
  }

  /** A BER element whose content is these parts, one after the other. */
  public static byte[] element(int tag, byte[]... parts) {
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
