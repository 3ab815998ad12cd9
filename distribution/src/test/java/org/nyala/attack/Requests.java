package org.nyala.attack;

import java.io.ByteArrayOutputStream;
import java.util.function.IntFunction;

/** LDAP requests as bytes. */
final class Requests {
  static final int BASE = 0;
  static final int SUBTREE = 2;

  static final int ADD_VALUES = 0;
  static final int DELETE_VALUES = 1;

  private static final int CONTROLS = 0xa0;

  /** A search without its message ID. */
  record Search(
      String base, int scope, int sizeLimit, int timeLimitSeconds, byte[] filter, byte[] controls) {
    static Search of(String base, int scope, byte[] filter) {
      return new Search(base, scope, 0, 0, filter, new byte[0]);
    }

    Search withSizeLimit(int entries) {
      return new Search(base, scope, entries, timeLimitSeconds, filter, controls);
    }

    Search withTimeLimit(int seconds) {
      return new Search(base, scope, sizeLimit, seconds, filter, controls);
    }

    Search withControl(String oid, byte[] value) {
      byte[] control =
          Ber.of(
              Ber.SEQUENCE,
              Ber.text(Ber.STRING, oid),
              Ber.flag(Ber.BOOLEAN, true),
              Ber.of(Ber.STRING, value));
      return new Search(
          base, scope, sizeLimit, timeLimitSeconds, filter, Ber.of(CONTROLS, control));
    }

    /** Returns the request for these attributes, or for all if none is named. */
    byte[] message(int id, String... attributes) {
      ByteArrayOutputStream names = new ByteArrayOutputStream();
      for (String each : attributes) {
        names.writeBytes(Ber.text(Ber.STRING, each));
      }
      byte[] request =
          Ber.of(
              0x63,
              Ber.text(Ber.STRING, base),
              Ber.number(Ber.ENUMERATED, scope),
              Ber.number(Ber.ENUMERATED, 0),
              Ber.number(Ber.INTEGER, sizeLimit),
              Ber.number(Ber.INTEGER, timeLimitSeconds),
              Ber.flag(Ber.BOOLEAN, false),
              filter,
              Ber.of(Ber.SEQUENCE, names.toByteArray()));
      return Ber.of(Ber.SEQUENCE, Ber.number(Ber.INTEGER, id), request, controls);
    }
  }

  private Requests() {}

  static byte[] bind(int id, String dn, String password) {
    return message(
        id,
        Ber.of(
            0x60, Ber.number(Ber.INTEGER, 3), Ber.text(Ber.STRING, dn), Ber.text(0x80, password)));
  }

  /** Returns a modify with one change. */
  static byte[] modify(int id, String dn, int change, String attribute, byte[] values) {
    byte[] one =
        Ber.of(
            Ber.SEQUENCE,
            Ber.number(Ber.ENUMERATED, change),
            Ber.of(Ber.SEQUENCE, Ber.text(Ber.STRING, attribute), Ber.of(Ber.SET, values)));
    return message(id, Ber.of(0x66, Ber.text(Ber.STRING, dn), Ber.of(Ber.SEQUENCE, one)));
  }

  static byte[] abandon(int id, int abandoned) {
    return message(id, Ber.number(0x50, abandoned));
  }

  /** Returns a cancel (RFC 3909). */
  static byte[] cancel(int id, int cancelled) {
    byte[] value = Ber.of(Ber.SEQUENCE, Ber.number(Ber.INTEGER, cancelled));
    return message(id, Ber.of(0x77, Ber.text(0x80, "1.3.6.1.1.8"), Ber.of(0x81, value)));
  }

  static byte[] message(int id, byte[] operation) {
    return Ber.of(Ber.SEQUENCE, Ber.number(Ber.INTEGER, id), operation);
  }

  static byte[] equal(String attribute, String value) {
    return Ber.of(0xa3, Ber.text(Ber.STRING, attribute), Ber.text(Ber.STRING, value));
  }

  static byte[] atLeast(String attribute, String value) {
    return Ber.of(0xa5, Ber.text(Ber.STRING, attribute), Ber.text(Ber.STRING, value));
  }

  static byte[] contains(String attribute, String part) {
    return Ber.of(
        0xa4, Ber.text(Ber.STRING, attribute), Ber.of(Ber.SEQUENCE, Ber.text(0x81, part)));
  }

  static byte[] present(String attribute) {
    return Ber.text(0x87, attribute);
  }

  /** Returns a matching rule that all attributes of its syntax are tested by. */
  static byte[] rule(String oid, String value) {
    return Ber.of(0xa9, Ber.text(0x81, oid), Ber.text(0x83, value));
  }

  static byte[] and(byte[]... parts) {
    return Ber.of(0xa0, parts);
  }

  static byte[] or(byte[]... parts) {
    return Ber.of(0xa1, parts);
  }

  static byte[] not(byte[] part) {
    return Ber.of(0xa2, part);
  }

  /** Returns a number of parts one after the other, each made from its number. */
  static byte[] each(int count, IntFunction<byte[]> part) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int i = 0; i < count; i++) {
      all.writeBytes(part.apply(i));
    }
    return all.toByteArray();
  }
}
