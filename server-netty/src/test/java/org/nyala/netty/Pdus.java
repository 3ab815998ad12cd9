package org.nyala.netty;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.nyala.core.ber.Ber;
import org.nyala.netty.codec.LdapTags;

/** Builds LDAP messages byte by byte, valid and otherwise. */
public final class Pdus {
  private Pdus() {}

  public static byte[] element(int tag, byte[]... contents) {
    byte[] content = concat(contents);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(tag);
    int length = content.length;
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
      out.write(0x84);
      out.write(length >>> 24);
      out.write(length >>> 16);
      out.write(length >>> 8);
      out.write(length);
    }
    out.writeBytes(content);
    return out.toByteArray();
  }

  public static byte[] concat(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  public static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  public static byte[] text(String text) {
    return element(LdapTags.OCTET_STRING, utf8(text));
  }

  public static byte[] number(int tag, int value) {
    int length = Ber.integerLength(value);
    byte[] content = new byte[value < 0 ? 4 : length];
    for (int i = 0; i < content.length; i++) {
      content[i] = (byte) (value >>> 8 * (content.length - 1 - i));
    }
    return element(tag, content);
  }

  public static byte[] bool(boolean value) {
    return element(LdapTags.BOOLEAN, new byte[] {(byte) (value ? 0xff : 0)});
  }

  public static byte[] message(int id, byte[]... rest) {
    return element(LdapTags.SEQUENCE, concat(number(LdapTags.INTEGER, id), concat(rest)));
  }

  public static byte[] searchOperation(
      String base, int scope, int sizeLimit, byte[] filter, String... names) {
    return element(
        LdapTags.SEARCH_REQUEST,
        text(base),
        number(LdapTags.ENUMERATED, scope),
        number(LdapTags.ENUMERATED, 0),
        number(LdapTags.INTEGER, sizeLimit),
        number(LdapTags.INTEGER, 0),
        bool(false),
        filter,
        names(names));
  }

  public static byte[] names(String... names) {
    byte[][] each = new byte[names.length][];
    for (int i = 0; i < names.length; i++) {
      each[i] = text(names[i]);
    }
    return element(LdapTags.SEQUENCE, each);
  }

  public static byte[] present(String attribute) {
    return element(0x87, utf8(attribute));
  }

  public static byte[] equality(String attribute, String value) {
    return element(0xa3, text(attribute), text(value));
  }

  static byte[] search(int id, String base, int sizeLimit) {
    return message(id, searchOperation(base, 2, sizeLimit, present("objectClass")));
  }

  public static byte[] bind(int id, String name, String password) {
    return message(
        id,
        element(
            LdapTags.BIND_REQUEST,
            number(LdapTags.INTEGER, 3),
            text(name),
            element(0x80, utf8(password))));
  }

  public static byte[] unbind(int id) {
    return message(id, new byte[] {LdapTags.UNBIND_REQUEST, 0});
  }

  public static byte[] abandon(int id, int abandoned) {
    return message(id, number(LdapTags.ABANDON_REQUEST, abandoned));
  }

  public static byte[] attribute(String name, String... values) {
    byte[][] each = new byte[values.length][];
    for (int i = 0; i < values.length; i++) {
      each[i] = text(values[i]);
    }
    return element(LdapTags.SEQUENCE, text(name), element(LdapTags.SET, each));
  }

  public static byte[] control(String oid, boolean critical, byte[] value) {
    return element(
        LdapTags.SEQUENCE, text(oid), bool(critical), element(LdapTags.OCTET_STRING, value));
  }

  /** Returns an element in an element in an element. */
  public static byte[] nested(int tag, int depth, byte[] inner) {
    byte[] bytes = new byte[depth * 6 + inner.length];
    int at = bytes.length - inner.length;
    System.arraycopy(inner, 0, bytes, at, inner.length);
    for (int i = 0; i < depth; i++) {
      int length = bytes.length - at;
      bytes[--at] = (byte) length;
      bytes[--at] = (byte) (length >>> 8);
      bytes[--at] = (byte) (length >>> 16);
      bytes[--at] = (byte) (length >>> 24);
      bytes[--at] = (byte) 0x84;
      bytes[--at] = (byte) tag;
    }
    return bytes;
  }
}
