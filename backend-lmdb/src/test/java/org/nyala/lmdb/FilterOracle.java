package org.nyala.lmdb;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.CompiledFilter.ValueItem.Comparison;
import org.nyala.core.filter.Ternary;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.SubstringPiece;

/** Random filters, with their meaning worked out on entry objects value by value. */
public final class FilterOracle {
  private static final List<String> TEXT =
      List.of("cn", "sn", "title", "title;lang-en", "description", "name", "uid", "givenName");

  private final TestStore store;
  private final Random random;

  public FilterOracle(TestStore store, Random random) {
    this.store = store;
    this.random = random;
  }

  public CompiledFilter filter(int depth) {
    return switch (random.nextInt(depth > 0 ? 12 : 9)) {
      case 0, 1 -> equality(text(), TestStore.word(random));
      case 2 -> equality("uid", "u" + random.nextInt(400));
      case 3 -> equality("objectClass", random.nextBoolean() ? "inetOrgPerson" : "top");
      case 4 -> substrings(text());
      case 5 -> new CompiledFilter.Presence(selector(text()));
      case 6 -> range();
      case 7 -> rare();
      case 8 -> equality("uidNumber", Integer.toString(random.nextInt(40) - 20));
      case 9 -> new CompiledFilter.And(parts(depth));
      case 10 -> new CompiledFilter.Or(parts(depth));
      default -> new CompiledFilter.Not(filter(depth - 1));
    };
  }

  /** Returns a filter of many ranges and beginnings of values, and of a few other parts. */
  public CompiledFilter ranges(int depth) {
    List<CompiledFilter> parts = new ArrayList<>();
    for (int i = 1 + random.nextInt(8); i >= 0; i--) {
      parts.add(
          switch (random.nextInt(depth > 0 ? 9 : 7)) {
            case 0, 1 -> range("uidNumber", Integer.toString(random.nextInt(44) - 22));
            case 2 -> range();
            case 3 -> range("uidNumber", "0");
            case 4, 5 -> beginning(text());
            case 6 -> random.nextBoolean() ? filter(0) : ids();
            case 7 -> ranges(depth - 1);
            default -> new CompiledFilter.Not(ranges(depth - 1));
          });
    }
    return random.nextBoolean() ? new CompiledFilter.And(parts) : new CompiledFilter.Or(parts);
  }

  private CompiledFilter ids() {
    return new CompiledFilter.EntryIds(
        LongStream.generate(() -> store.randomId(random))
            .limit(random.nextInt(60))
            .distinct()
            .sorted()
            .toArray());
  }

  private CompiledFilter beginning(String name) {
    AttributeSelector selector = selector(name);
    MatchingRule rule = selector.description().type().substrings();
    byte[] initial = piece(rule, SubstringPiece.INITIAL);
    // By the equality rule a beginning is looked up as a range.
    MatchingRule by = random.nextBoolean() ? selector.description().type().equality() : rule;
    return new CompiledFilter.SubstringsItem(selector, by, initial, List.of(), null);
  }

  private CompiledFilter rare() {
    return switch (random.nextInt(5)) {
      case 0 -> CompiledFilter.Constant.TRUE;
      case 1 -> CompiledFilter.Constant.FALSE;
      case 2 -> CompiledFilter.Constant.UNDEFINED;
      case 3 -> new CompiledFilter.HasSubordinatesItem(random.nextBoolean());
      default -> new CompiledFilter.EntryDnItem(store.entries.get(store.randomId(random)).dn());
    };
  }

  private List<CompiledFilter> parts(int depth) {
    List<CompiledFilter> parts = new ArrayList<>();
    for (int i = random.nextInt(4); i >= 0; i--) {
      parts.add(filter(depth - 1));
    }
    return parts;
  }

  private String text() {
    return TEXT.get(random.nextInt(TEXT.size()));
  }

  private static AttributeSelector selector(String name) {
    return new AttributeSelector(AttributeDescription.parse(TestStore.SCHEMA, name));
  }

  public static CompiledFilter equality(String name, String value) {
    AttributeSelector selector = selector(name);
    MatchingRule rule = selector.description().type().equality();
    byte[] assertion = normalized(rule, value);
    return new CompiledFilter.ValueItem(selector, Comparison.EQUALITY, rule, assertion);
  }

  private CompiledFilter range() {
    String time = "202" + random.nextInt(5) + "0" + (1 + random.nextInt(9)) + "01000000Z";
    return range("createTimestamp", time);
  }

  private CompiledFilter range(String name, String value) {
    return range(
        name, random.nextBoolean() ? Comparison.GREATER_OR_EQUAL : Comparison.LESS_OR_EQUAL, value);
  }

  public static CompiledFilter range(String name, Comparison comparison, String value) {
    AttributeSelector selector = selector(name);
    MatchingRule rule = selector.description().type().ordering();
    return new CompiledFilter.ValueItem(selector, comparison, rule, normalized(rule, value));
  }

  private static byte[] normalized(MatchingRule rule, String value) {
    ByteAppender target = new ByteAppender(64);
    byte[] bytes = value.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    if (!rule.assertionNormalizer().normalize(bytes, 0, bytes.length, target)) {
      throw new IllegalArgumentException(value);
    }
    return target.toByteArray();
  }

  private CompiledFilter substrings(String name) {
    AttributeSelector selector = selector(name);
    MatchingRule rule = selector.description().type().substrings();
    byte[] initial = random.nextInt(3) == 0 ? piece(rule, SubstringPiece.INITIAL) : null;
    byte[] last = random.nextInt(3) == 0 ? piece(rule, SubstringPiece.FINAL) : null;
    List<byte[]> any = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0 || initial == null && last == null && i == 0; i--) {
      any.add(piece(rule, SubstringPiece.ANY));
    }
    return new CompiledFilter.SubstringsItem(selector, rule, initial, any, last);
  }

  private byte[] piece(MatchingRule rule, SubstringPiece kind) {
    String word = TestStore.word(random);
    int length = 1 + random.nextInt(Math.min(word.length(), 40));
    int from = kind == SubstringPiece.FINAL ? word.length() - length : 0;
    from = kind == SubstringPiece.ANY ? random.nextInt(word.length() - length + 1) : from;
    byte[] bytes =
        word.substring(from, from + length).getBytes(java.nio.charset.StandardCharsets.UTF_8);
    ByteAppender target = new ByteAppender(64);
    rule.assertionNormalizer().normalizeSubstring(kind, bytes, 0, bytes.length, target);
    return target.toByteArray();
  }

  Ternary evaluate(CompiledFilter filter, long id) {
    return switch (filter) {
      case CompiledFilter.Constant constant -> constant.value();
      case CompiledFilter.And and -> combine(and.nodes(), id, false);
      case CompiledFilter.Or or -> combine(or.nodes(), id, true);
      case CompiledFilter.Not not -> evaluate(not.node(), id).not();
      case CompiledFilter.Presence presence ->
          Ternary.of(!values(presence.attribute(), id).isEmpty());
      case CompiledFilter.ValueItem test -> Ternary.of(matches(test, id));
      case CompiledFilter.SubstringsItem test -> Ternary.of(matches(test, id));
      case CompiledFilter.EntryIds test -> Ternary.of(Arrays.binarySearch(test.ids(), id) >= 0);
      case CompiledFilter.ExtensibleItem _,
          CompiledFilter.NumberItem _,
          CompiledFilter.ContextCsnItem _,
          CompiledFilter.MemberOfItem _,
          CompiledFilter.ChainItem _ ->
          throw new IllegalArgumentException();
      case CompiledFilter.EntryDnItem test -> Ternary.of(dn(id).equals(test.dn()));
      case CompiledFilter.HasSubordinatesItem test ->
          Ternary.of(store.parents.containsValue(id) == test.expected());
    };
  }

  private Dn dn(long id) {
    return store.entries.get(id).dn();
  }

  private Ternary combine(List<CompiledFilter> nodes, long id, boolean isOr) {
    Ternary result = evaluate(nodes.getFirst(), id);
    for (CompiledFilter node : nodes) {
      Ternary value = evaluate(node, id);
      if (isOr == value.compareTo(result) > 0 && value != result) {
        result = value;
      }
    }
    return result;
  }

  private List<byte[]> values(AttributeSelector selector, long id) {
    Entry entry = store.entries.get(id);
    List<byte[]> values = new ArrayList<>();
    for (AttributeDescription description : entry.descriptions()) {
      if (description.isSubtypeOf(selector.description())) {
        values.addAll(entry.values(description));
      }
    }
    return values;
  }

  private boolean matches(CompiledFilter.ValueItem test, long id) {
    for (byte[] value : values(test.attribute(), id)) {
      byte[] stored = normalizedValue(test.rule(), value);
      int order = Arrays.compareUnsigned(stored, test.assertion());
      boolean isMatch =
          switch (test.comparison()) {
            case EQUALITY -> order == 0;
            case GREATER_OR_EQUAL -> order >= 0;
            case LESS_OR_EQUAL -> order <= 0;
          };
      if (isMatch) {
        return true;
      }
    }
    return false;
  }

  private static byte[] normalizedValue(MatchingRule rule, byte[] value) {
    ByteAppender target = new ByteAppender(64);
    if (!rule.valueNormalizer().normalize(value, 0, value.length, target)) {
      throw new IllegalArgumentException();
    }
    return target.toByteArray();
  }

  private boolean matches(CompiledFilter.SubstringsItem test, long id) {
    for (byte[] value : values(test.attribute(), id)) {
      String stored = latin(normalizedValue(test.rule(), value));
      if (hasPieces(stored, test)) {
        return true;
      }
    }
    return false;
  }

  private static boolean hasPieces(String stored, CompiledFilter.SubstringsItem test) {
    int at = 0;
    if (test.initial() != null) {
      if (!stored.startsWith(latin(test.initial()))) {
        return false;
      }
      at = test.initial().length;
    }
    for (byte[] piece : test.any()) {
      int found = stored.indexOf(latin(piece), at);
      if (found < 0) {
        return false;
      }
      at = found + piece.length;
    }
    return test.last() == null
        || stored.length() - at >= test.last().length && stored.endsWith(latin(test.last()));
  }

  private static String latin(byte[] bytes) {
    return new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1);
  }
}
