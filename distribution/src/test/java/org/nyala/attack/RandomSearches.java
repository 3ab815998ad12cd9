package org.nyala.attack;

import static org.nyala.attack.Requests.atLeast;
import static org.nyala.attack.Requests.contains;
import static org.nyala.attack.Requests.equal;
import static org.nyala.attack.Requests.present;
import static org.nyala.attack.Requests.rule;

import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Random;
import org.nyala.attack.Requests.Search;

/**
 * Searches of anonymous clients that probably cost much: random parts, repeated up to the size that
 * a request may have.
 *
 * <p>Confined to one thread.
 */
final class RandomSearches {
  private static final int MOST_BYTES = 60_000;
  private static final int MOST_DEPTH = 20;
  private static final int MOST_NODES = 4000;

  static final List<String> ATTRIBUTES =
      List.of(
          "cn",
          "uid",
          "description",
          "member",
          "memberUid",
          "memberOf",
          "homeDirectory",
          "uidNumber",
          "gidNumber",
          "objectClass",
          "entryDN",
          "entryUUID",
          "createTimestamp",
          "attributeTypes",
          "objectClasses",
          "numSubordinates",
          "hasSubordinates",
          "street",
          "sn",
          "telephoneNumber",
          "structuralObjectClass",
          "creatorsName");
  private static final List<String> RULES =
      List.of(
          "2.5.13.0",
          "2.5.13.1",
          "2.5.13.2",
          "2.5.13.3",
          "2.5.13.4",
          "2.5.13.5",
          "2.5.13.8",
          "2.5.13.11",
          "2.5.13.14",
          "2.5.13.15",
          "2.5.13.16",
          "2.5.13.17",
          "2.5.13.20",
          "2.5.13.23",
          "2.5.13.27",
          "2.5.13.28",
          "2.5.13.29",
          "2.5.13.30",
          "2.5.13.31",
          "1.3.6.1.4.1.1466.109.114.1",
          "1.3.6.1.4.1.1466.109.114.2",
          "1.2.840.113556.1.4.803",
          "1.3.6.1.1.16.2");
  private static final List<String> VALUES =
      List.of("x", "9.9", "o=x", "0", "5", "zzz", "TRUE", "ü", "19700101000000Z", "a  b", "person");
  private static final List<String> BASES =
      List.of(
          Login.SUFFIX,
          "ou=People," + Login.SUFFIX,
          "ou=Hostile," + Login.SUFFIX,
          Login.hostile("large").dn(),
          Login.hostile("huge").dn(),
          Login.hostile("uids").dn(),
          Login.hostile("long").dn(),
          Login.hostile("wide.7").dn(),
          Login.of(0).dn(),
          "cn=Subschema",
          "cn=Monitor",
          "");
  private static final String SORT = "1.2.840.113556.1.4.473";
  private static final String MATCHED_VALUES = "1.2.826.0.1.3344810.2.3";
  private static final String ASSERTION = "1.3.6.1.1.12";

  private final Random random;
  private int nodes;

  RandomSearches(long seed) {
    random = new Random(seed);
  }

  private <T> T pick(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  Search next() {
    nodes = 0;
    Search search = Search.of(pick(BASES), random.nextInt(3), filter(MOST_BYTES, 0));
    return switch (random.nextInt(8)) {
      case 0 -> search.withControl(SORT, sortKey());
      case 1 -> search.withControl(MATCHED_VALUES, Ber.of(Ber.SEQUENCE, matched()));
      case 2 -> search.withControl(ASSERTION, filter(4000, MOST_DEPTH));
      default -> search;
    };
  }

  /** Returns the requested attributes. */
  String[] attributes() {
    return switch (random.nextInt(4)) {
      case 0 -> new String[] {"1.1"};
      case 1 -> new String[] {"*", "+"};
      case 2 -> new String[] {"memberOf"};
      default -> new String[] {pick(ATTRIBUTES), pick(ATTRIBUTES)};
    };
  }

  private byte[] sortKey() {
    return Ber.of(Ber.SEQUENCE, Ber.of(Ber.SEQUENCE, Ber.text(Ber.STRING, pick(ATTRIBUTES))));
  }

  private byte[] matched() {
    byte[] item = random.nextBoolean() ? rule(pick(RULES), pick(VALUES)) : leaf(20);
    return Ber.times(1 + random.nextInt(Math.max(1, 2000 / item.length)), item);
  }

  private byte[] filter(int bytes, int depth) {
    int kind = random.nextInt(10);
    if (depth >= MOST_DEPTH || bytes < 200 || nodes > MOST_NODES - 2 || kind == 9) {
      return leaf(bytes);
    }
    nodes++;
    if (kind == 8) {
      return Requests.not(filter(bytes - 10, depth + 1));
    }
    byte[] parts = kind < 5 ? same(bytes - 10) : different(bytes - 10, depth);
    return random.nextBoolean() ? Requests.and(parts) : Requests.or(parts);
  }

  private byte[] same(int bytes) {
    byte[] leaf = leaf(random.nextInt(4) == 0 ? bytes / 10 : 20);
    int count = Math.clamp(bytes / leaf.length, 1, Math.max(1, MOST_NODES - nodes));
    nodes += count;
    return Ber.times(count, leaf);
  }

  private byte[] different(int bytes, int depth) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    int few = 1 + random.nextInt(random.nextBoolean() ? 4 : 2000);
    for (int i = 0; i < few && nodes < MOST_NODES; i++) {
      int left = bytes - all.size();
      byte[] part = few <= 4 ? filter(left / few, depth + 1) : leaf(20);
      if (part.length > left) {
        break;
      }
      all.writeBytes(part);
      nodes++;
    }
    return all.size() == 0 ? leaf(bytes) : all.toByteArray();
  }

  private byte[] leaf(int bytes) {
    String attribute = pick(ATTRIBUTES);
    return switch (random.nextInt(7)) {
      case 0 -> equal(attribute, value(bytes));
      case 1 -> atLeast(attribute, value(bytes));
      case 2 -> contains(attribute, value(bytes));
      case 3 -> manyParts(attribute, bytes);
      case 4 -> present(attribute);
      case 5 -> equal("memberOf", Login.hostile(random.nextBoolean() ? "huge" : "chain.9").dn());
      default -> rule(pick(RULES), value(bytes));
    };
  }

  private byte[] manyParts(String attribute, int bytes) {
    byte[] any = Ber.text(0x81, random.nextBoolean() ? "a" : Integer.toString(random.nextInt(99)));
    int count = 1 + random.nextInt(Math.max(1, bytes / 8));
    return Ber.of(
        0xa4, Ber.text(Ber.STRING, attribute), Ber.of(Ber.SEQUENCE, Ber.times(count, any)));
  }

  private String value(int bytes) {
    String one = random.nextBoolean() ? Integer.toString(random.nextInt(200_000)) : pick(VALUES);
    int most = Math.max(0, bytes - 60) / (2 * one.length());
    return most > 0 && random.nextInt(3) == 0 ? one.repeat(1 + random.nextInt(most)) : one;
  }
}
