package org.nyala.core.backend;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.message.FilterNode;

/** Makes random filters about given entries: the same seed makes the same filters. */
public final class RandomFilters {
  private static final String[] ATTRIBUTES = {
    "uid",
    "cn",
    "sn",
    "name",
    "mail",
    "description",
    "uidNumber",
    "gidNumber",
    "objectClass",
    "telephoneNumber",
    "manager",
    "createTimestamp",
    "entryUUID",
    "employeeNumber",
    "userPassword",
    "cn;lang-de",
    "cn;lang-fr",
    "ou",
    "noSuchAttribute",
    "entryDN",
    "hasSubordinates",
    "subschemaSubentry",
    "givenName"
  };
  private static final String[] RULES = {
    "caseExactMatch",
    "caseIgnoreMatch",
    "integerMatch",
    "integerOrderingMatch",
    "2.5.13.2",
    "noSuchMatch",
    "distinguishedNameMatch",
    "caseIgnoreSubstringsMatch"
  };

  private final List<Entry> entries;
  private final Random random;

  /** Starts a series of filters. */
  public RandomFilters(List<Entry> entries, long seed) {
    this.entries = entries;
    this.random = new Random(seed);
  }

  /** Returns the next filter, nested at most {@code depth} deep. */
  public FilterNode next(int depth) {
    if (depth <= 1 || random.nextInt(3) == 0) {
      return item();
    }
    return switch (random.nextInt(3)) {
      case 0 -> new FilterNode.And(nodes(depth - 1));
      case 1 -> new FilterNode.Or(nodes(depth - 1));
      default -> new FilterNode.Not(next(depth - 1));
    };
  }

  private List<FilterNode> nodes(int depth) {
    List<FilterNode> nodes = new ArrayList<>();
    int count = random.nextInt(10) == 0 ? 0 : 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      nodes.add(next(depth));
    }
    return nodes;
  }

  private FilterNode item() {
    String attribute = ATTRIBUTES[random.nextInt(ATTRIBUTES.length)];
    byte[] value = value(attribute);
    return switch (random.nextInt(12)) {
      case 0, 1, 2, 3 -> new FilterNode.Equality(attribute, value);
      case 4, 5, 6 -> substrings(attribute, new String(value, StandardCharsets.UTF_8));
      case 7 -> new FilterNode.GreaterOrEqual(attribute, value);
      case 8 -> new FilterNode.LessOrEqual(attribute, value);
      case 9 -> new FilterNode.Present(attribute);
      case 10 -> new FilterNode.Approximate(attribute, value);
      default -> extensible(attribute, value);
    };
  }

  private FilterNode extensible(String attribute, byte[] value) {
    boolean withRule = random.nextBoolean();
    boolean withAttribute = !withRule || random.nextBoolean();
    return new FilterNode.Extensible(
        withRule ? RULES[random.nextInt(RULES.length)] : null,
        withAttribute ? attribute : null,
        value,
        random.nextInt(3) == 0);
  }

  private FilterNode substrings(String attribute, String value) {
    int from = random.nextInt(value.length() + 1);
    int to = from + random.nextInt(value.length() - from + 1);
    byte[] initial = random.nextBoolean() ? bytes(value.substring(0, from)) : null;
    byte[] last = random.nextBoolean() ? bytes(value.substring(to)) : null;
    List<byte[]> any = new ArrayList<>();
    if (initial == null && last == null || random.nextBoolean()) {
      any.add(bytes(value.substring(from, to)));
    }
    return new FilterNode.Substrings(attribute, initial, any, last);
  }

  /** Returns a value of some entry, sometimes in another case; or one that hardly any entry has. */
  private byte[] value(String attribute) {
    Entry entry = entries.get(random.nextInt(entries.size()));
    if (attribute.equals("entryDN")) {
      return entry.dn().raw();
    }
    if (attribute.equals("hasSubordinates")) {
      return bytes(random.nextBoolean() ? "TRUE" : "FALSE");
    }
    for (int tries = 0; tries < 20; tries++) {
      for (AttributeDescription description : entry.descriptions()) {
        if (description.name().equals(attribute)) {
          List<byte[]> values = entry.values(description);
          return inSomeCase(values.get(random.nextInt(values.size())));
        }
      }
      entry = entries.get(random.nextInt(entries.size()));
    }
    return bytes("value " + random.nextInt(3));
  }

  private byte[] inSomeCase(byte[] value) {
    String text = new String(value, StandardCharsets.UTF_8);
    return switch (random.nextInt(4)) {
      case 0 -> bytes(text.toUpperCase(Locale.ROOT));
      case 1 -> bytes(text.toLowerCase(Locale.ROOT));
      default -> value;
    };
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
