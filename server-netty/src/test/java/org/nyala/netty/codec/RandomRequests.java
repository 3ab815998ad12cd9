package org.nyala.netty.codec;

import static org.nyala.netty.Pdus.element;
import static org.nyala.netty.Pdus.text;
import static org.nyala.netty.Pdus.utf8;

import java.util.Random;
import org.nyala.netty.Pdus;

/** Requests of all types, plain ones and odd ones, as bytes. Confined to one thread. */
final class RandomRequests {
  private static final int TYPES = 10;
  private static final byte[] NOTHING = {};

  private final Random random;

  RandomRequests(Random random) {
    this.random = random;
  }

  /** Returns a message with an operation of any type; some have controls. */
  byte[] next() {
    byte[] operation = operation(random.nextInt(TYPES));
    byte[] controls = random.nextInt(4) == 0 ? controls() : NOTHING;
    return Pdus.message(1 + random.nextInt(Integer.MAX_VALUE - 1), operation, controls);
  }

  /** Returns a message with one to three octets that have changed. */
  byte[] mutated() {
    byte[] pdu = next();
    for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
      int at = random.nextInt(pdu.length);
      pdu[at] = (byte) (random.nextBoolean() ? pdu[at] ^ 1 << random.nextInt(8) : random.nextInt());
    }
    return pdu;
  }

  private byte[] operation(int type) {
    return switch (type) {
      case 0 -> new byte[] {LdapTags.UNBIND_REQUEST, 0};
      case 1 -> Pdus.number(LdapTags.ABANDON_REQUEST, random.nextInt() >>> 1 + random.nextInt(30));
      case 2 -> element(LdapTags.DELETE_REQUEST, utf8(name()));
      case 3 -> bind();
      case 4 -> element(LdapTags.EXTENDED_REQUEST, element(0x80, utf8(oid())), optional(0x81));
      case 5 ->
          element(
              LdapTags.COMPARE_REQUEST, text(name()), element(0x30, text(attribute()), value()));
      case 6 -> modifyDn();
      case 7 -> element(LdapTags.ADD_REQUEST, text(name()), element(0x30, attributes()));
      case 8 -> element(LdapTags.MODIFY_REQUEST, text(name()), element(0x30, changes()));
      default -> search();
    };
  }

  private byte[] bind() {
    byte[] sasl = random.nextBoolean() ? value() : NOTHING;
    return element(
        LdapTags.BIND_REQUEST,
        Pdus.number(LdapTags.INTEGER, oddly() ? random.nextInt(200) : 3),
        text(name()),
        random.nextInt(3) == 0 ? element(0xa3, text(oid()), sasl) : element(0x80, octets()));
  }

  private byte[] modifyDn() {
    byte[] superior = random.nextBoolean() ? element(0x80, utf8(name())) : NOTHING;
    return element(
        LdapTags.MODIFY_DN_REQUEST,
        text(name()),
        text(name()),
        Pdus.bool(random.nextBoolean()),
        superior);
  }

  private byte[] attributes() {
    byte[] attributes = NOTHING;
    for (int count = random.nextInt(5); count > 0; count--) {
      attributes = Pdus.concat(attributes, attributeValues());
    }
    return attributes;
  }

  private byte[] attributeValues() {
    byte[] values = NOTHING;
    for (int count = random.nextInt(4); count > 0; count--) {
      values = Pdus.concat(values, value());
    }
    return element(0x30, text(attribute()), element(0x31, values));
  }

  private byte[] changes() {
    byte[] changes = NOTHING;
    for (int count = random.nextInt(4); count > 0; count--) {
      byte[] kind = Pdus.number(LdapTags.ENUMERATED, random.nextInt(oddly() ? 9 : 4));
      changes = Pdus.concat(changes, element(0x30, kind, attributeValues()));
    }
    return changes;
  }

  private byte[] search() {
    String[] names = new String[random.nextInt(4)];
    for (int i = 0; i < names.length; i++) {
      names[i] = attribute();
    }
    return element(
        LdapTags.SEARCH_REQUEST,
        text(name()),
        Pdus.number(LdapTags.ENUMERATED, random.nextInt(oddly() ? 5 : 3)),
        Pdus.number(LdapTags.ENUMERATED, random.nextInt(oddly() ? 5 : 4)),
        Pdus.number(LdapTags.INTEGER, random.nextInt() >>> 1 + random.nextInt(30)),
        Pdus.number(LdapTags.INTEGER, random.nextInt() >>> 1 + random.nextInt(30)),
        Pdus.bool(random.nextBoolean()),
        filter(0),
        Pdus.names(names));
  }

  private byte[] filter(int depth) {
    return switch (random.nextInt(depth > 4 ? 7 : 11)) {
      case 0 -> Pdus.present(attribute());
      case 1 -> element(0xa5, text(attribute()), value());
      case 2 -> element(0xa6, text(attribute()), value());
      case 3 -> element(0xa8, text(attribute()), value());
      case 4 -> substrings();
      case 5 -> extensible();
      case 6, 7 -> element(0xa3, text(attribute()), value());
      case 8 -> element(0xa2, filter(depth + 1));
      case 9 -> element(0xa0, filter(depth + 1), oddly() ? NOTHING : filter(depth + 1));
      default -> oddly() ? element(0xa1) : element(0xa1, filter(depth + 1));
    };
  }

  private byte[] substrings() {
    return element(
        0xa4,
        text(attribute()),
        element(0x30, piece(0x80), element(0x81, utf8(word())), piece(0x81), piece(0x82)));
  }

  private byte[] piece(int tag) {
    if (random.nextBoolean()) {
      return NOTHING;
    }
    return element(tag, oddly() ? octets() : utf8(word()));
  }

  private byte[] extensible() {
    byte[] rule = random.nextBoolean() ? element(0x81, utf8(oid())) : NOTHING;
    byte[] type = rule.length == 0 || random.nextBoolean() ? element(0x82, utf8(word())) : NOTHING;
    byte[] flag =
        random.nextInt(3) == 0 ? element(0x84, new byte[] {(byte) -random.nextInt(2)}) : NOTHING;
    return element(0xa9, rule, type, element(0x83, octets()), flag);
  }

  private byte[] controls() {
    byte[] controls = NOTHING;
    for (int count = random.nextInt(4); count > 0; count--) {
      String oid = random.nextBoolean() ? "1.2.840.113556.1.4.319" : oid();
      controls = Pdus.concat(controls, Pdus.control(oid, random.nextBoolean(), octets()));
    }
    return element(LdapTags.CONTROLS, controls);
  }

  private byte[] optional(int tag) {
    return random.nextBoolean() ? element(tag, octets()) : NOTHING;
  }

  private byte[] value() {
    return element(LdapTags.OCTET_STRING, oddly() ? octets() : utf8(word()));
  }

  /** Returns octets of any kind, none among them. */
  private byte[] octets() {
    byte[] octets = new byte[random.nextInt(12)];
    random.nextBytes(octets);
    return octets;
  }

  private String name() {
    return switch (random.nextInt(12)) {
      case 0 -> "";
      case 1 -> "no name";
      case 2 -> " " + word() + "=é, ";
      default -> word() + "=" + word() + ",dc=" + word();
    };
  }

  private String attribute() {
    return switch (random.nextInt(40)) {
      case 0 -> " " + word();
      case 1 -> word() + ";lang-de ";
      case 2 -> "CN";
      case 3 -> "cn";
      case 4 -> "";
      case 5 -> word() + "é";
      case 6 -> "userPassword";
      case 7 -> "*";
      default -> word();
    };
  }

  private String oid() {
    return oddly() ? word() : "1.3.6." + random.nextInt(100_000);
  }

  private String word() {
    StringBuilder word = new StringBuilder();
    for (int length = 1 + random.nextInt(8); length > 0; length--) {
      word.append((char) ((random.nextInt(10) == 0 ? 'A' : 'a') + random.nextInt(26)));
    }
    if (random.nextInt(200) == 0) {
      word.append("long".repeat(40));
    }
    return word.toString();
  }

  private boolean oddly() {
    return random.nextInt(8) == 0;
  }
}
