package org.nyala.core.filter;

import java.util.Arrays;
import java.util.List;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.bytes.ByteSearch;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Schema;

/**
 * Tests stored entries against compiled filters (RFC 4511, section 4.5.1.7).
 *
 * <p>Confined to one running operation; may serve one after the other. Hot: values are normalised
 * from the record into memory that is used again, and nothing is allocated but for the tests of
 * names. A value that its rule cannot normalise matches nothing.
 */
public final class FilterMatcher {
  /** The cost of a look-up in the store, in tests. */
  static final int LOOK_UP_TESTS = 32;

  /** The bytes of a value that cost as much as a test: 2 to the power of this. */
  private static final int LENGTH_SHIFT = 5;

  private final NameMatcher dnTests;
  private final AttributeSelection.Visibility visibility;
  private final ValueCursor values = new ValueCursor();
  private final ByteAppender raw = new ByteAppender(512);
  private final ByteAppender normalized = new ByteAppender(512);
  private @Nullable TestRun run;
  private long tests;

  /**
   * Creates a matcher.
   *
   * @param schema the schema by which names of entries are parsed
   * @param visibility attributes that it hides are passed over by rules that look at every
   *     attribute
   */
  public FilterMatcher(Schema schema, AttributeSelection.Visibility visibility) {
    this.dnTests = new NameMatcher(schema);
    this.visibility = visibility;
  }

  /**
   * Returns the number of items and values tested in all: the cost of an entry depends on the
   * client, which writes the filter, and on the entry.
   */
  public long tests() {
    return tests;
  }

  /** Returns the cost of examining the given number of bytes, in tests. */
  static int cost(int length) {
    return 1 + (length >> LENGTH_SHIFT);
  }

  /**
   * The value of a filter for an entry, as far as the slice goes. Little is tested at once, as
   * {@link #match(CompiledFilter, EntryView, AttributeTable, LongPredicate)} does.
   *
   * @param test the filter, and how far its test came
   * @param pace is asked every so much work
   * @return null if the slice is over: another call, maybe by another matcher, goes on
   */
  public @Nullable Ternary match(
      EntryMatch test,
      EntryView entry,
      AttributeTable table,
      LongPredicate hasSubordinates,
      Pace pace) {
    if (!test.isFormed(this, pace)) {
      return null;
    }
    if (test.isLight(entry)) {
      return match(test.filter(), entry, table, hasSubordinates);
    }
    TestRun known = run;
    if (known == null) {
      known = new TestRun(this, dnTests, visibility);
      run = known;
    }
    return test.go(known.on(entry, table, hasSubordinates, pace));
  }

  /** Counts work that was done on behalf of this matcher. */
  void charge(long cost) {
    tests += cost;
  }

  /**
   * Returns the value of a filter for an entry, all at once: for filters that are small, or bounded
   * by the caller.
   *
   * @param filter the filter
   * @param entry the entry
   * @param table the numbers of the entry's attributes
   * @param hasSubordinates returns for an entry id whether there are entries below it; an {@link
   *     EntryFacts} if tests of numbers and references are to be true for any entry
   */
  public Ternary match(
      CompiledFilter filter, EntryView entry, AttributeTable table, LongPredicate hasSubordinates) {
    tests++;
    return switch (filter) {
      case CompiledFilter.ValueItem test -> Ternary.of(matches(test, entry, table));
      case CompiledFilter.And and -> matchAll(and.nodes(), entry, table, hasSubordinates);
      case CompiledFilter.Or or -> matchAny(or.nodes(), entry, table, hasSubordinates);
      case CompiledFilter.Not not -> match(not.node(), entry, table, hasSubordinates).not();
      case CompiledFilter.SubstringsItem test -> Ternary.of(matches(test, entry, table));
      case CompiledFilter.Presence test -> Ternary.of(isPresent(test.attribute(), entry, table));
      case CompiledFilter.Constant constant -> constant.value();
      case CompiledFilter.ExtensibleItem test -> Ternary.of(matches(test, entry, table));
      case CompiledFilter.EntryDnItem test -> Ternary.of(dnTests.isNamed(entry, test.dn()));
      case CompiledFilter.HasSubordinatesItem test ->
          Ternary.of(hasSubordinates.test(entry.id()) == test.expected());
      case CompiledFilter.EntryIds test ->
          Ternary.of(Arrays.binarySearch(test.ids(), entry.id()) >= 0);
      case CompiledFilter.NumberItem test ->
          Ternary.of(
              probe(hasSubordinates) instanceof EntryFacts p
                  && test.passes(p.number(test.number(), entry)));
      case CompiledFilter.ContextCsnItem test ->
          Ternary.of(
              probe(hasSubordinates) instanceof EntryFacts p && p.hasContextCsn(test, entry));
      case CompiledFilter.MemberOfItem test ->
          Ternary.of(probe(hasSubordinates) instanceof EntryFacts p && p.isMember(test, entry));
      case CompiledFilter.ChainItem test ->
          Ternary.of(probe(hasSubordinates) instanceof EntryFacts p && p.leadsTo(test, entry));
    };
  }

  /** Wraps a test that is about to look beyond the entry, which costs as much as several tests. */
  private LongPredicate probe(LongPredicate probe) {
    tests += LOOK_UP_TESTS;
    return probe;
  }

  private Ternary matchAll(
      List<CompiledFilter> nodes,
      EntryView entry,
      AttributeTable table,
      LongPredicate hasSubordinates) {
    Ternary least = Ternary.TRUE;
    for (int i = 0; i < nodes.size(); i++) {
      Ternary value = match(nodes.get(i), entry, table, hasSubordinates);
      if (value == Ternary.FALSE) {
        return Ternary.FALSE;
      }
      if (value == Ternary.UNDEFINED) {
        least = Ternary.UNDEFINED;
      }
    }
    return least;
  }

  private Ternary matchAny(
      List<CompiledFilter> nodes,
      EntryView entry,
      AttributeTable table,
      LongPredicate hasSubordinates) {
    Ternary greatest = Ternary.FALSE;
    for (int i = 0; i < nodes.size(); i++) {
      Ternary value = match(nodes.get(i), entry, table, hasSubordinates);
      if (value == Ternary.TRUE) {
        return Ternary.TRUE;
      }
      if (value == Ternary.UNDEFINED) {
        greatest = Ternary.UNDEFINED;
      }
    }
    return greatest;
  }

  private static boolean isPresent(
      AttributeSelector attribute, EntryView entry, AttributeTable table) {
    int count = entry.attributeCount();
    for (int i = 0; i < count; i++) {
      if (attribute.selects(table, entry.attributeId(i))) {
        return true;
      }
    }
    return false;
  }

  private boolean matches(CompiledFilter.ValueItem test, EntryView entry, AttributeTable table) {
    AttributeSelector attribute = test.attribute();
    int count = entry.attributeCount();
    for (int i = 0; i < count; i++) {
      if (attribute.selects(table, entry.attributeId(i)) && anyValue(test, entry, table, i)) {
        return true;
      }
    }
    return false;
  }

  private boolean anyValue(
      CompiledFilter.ValueItem test, EntryView entry, AttributeTable table, int index) {
    MatchingRule rule = test.rule();
    LargeValues large = entry.largeValues(index);
    if (large != null && isLookUp(test, table.description(entry.attributeId(index)).type())) {
      tests++;
      return large.containsNormalized(test.assertion());
    }
    values.open(entry, index);
    while (values.next()) {
      if (normalize(rule) && compares(test, normalized)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns whether values that are kept apart, by their own equality rule, can be asked directly.
   */
  private static boolean isLookUp(CompiledFilter.ValueItem test, AttributeType type) {
    MatchingRule own = type.equality();
    return test.comparison() == CompiledFilter.ValueItem.Comparison.EQUALITY
        && test.rule().comparesBytes()
        && own != null
        && own.oid().equals(test.rule().oid());
  }

  /** Returns whether a normalised value compares as the test requires. */
  static boolean compares(CompiledFilter.ValueItem test, ByteAppender value) {
    return switch (test.comparison()) {
      case EQUALITY -> test.rule().matches(value.array(), value.length(), test.assertion());
      case GREATER_OR_EQUAL -> order(value, test.assertion()) >= 0;
      case LESS_OR_EQUAL -> order(value, test.assertion()) <= 0;
    };
  }

  private static int order(ByteAppender value, byte[] assertion) {
    return Arrays.compareUnsigned(value.array(), 0, value.length(), assertion, 0, assertion.length);
  }

  /** Returns whether a normalised value has the pieces that the test requires. */
  static boolean hasPieces(CompiledFilter.SubstringsItem test, ByteAppender value) {
    return Substrings.match(value.array(), value.length(), test.initial(), test.any(), test.last());
  }

  private boolean matches(
      CompiledFilter.SubstringsItem test, EntryView entry, AttributeTable table) {
    AttributeSelector attribute = test.attribute();
    int count = entry.attributeCount();
    for (int i = 0; i < count; i++) {
      if (attribute.selects(table, entry.attributeId(i)) && anyValue(test, entry, i)) {
        return true;
      }
    }
    return false;
  }

  private boolean anyValue(CompiledFilter.SubstringsItem test, EntryView entry, int index) {
    MatchingRule rule = test.rule();
    values.open(entry, index);
    while (values.next()) {
      if (normalize(rule) && hasPieces(test, normalized)) {
        return true;
      }
    }
    return false;
  }

  private boolean matches(
      CompiledFilter.ExtensibleItem test, EntryView entry, AttributeTable table) {
    int count = entry.attributeCount();
    for (int i = 0; i < count; i++) {
      if (test.selects(table, entry.attributeId(i), visibility) && anyValue(test, entry, i)) {
        return true;
      }
    }
    return test.dnAttributes() && dnTests.anyNamingValue(test, entry, visibility);
  }

  private boolean anyValue(CompiledFilter.ExtensibleItem test, EntryView entry, int index) {
    MatchingRule rule = test.rule();
    values.open(entry, index);
    while (values.next()) {
      if (normalize(rule)
          && compares(rule, normalized.array(), normalized.length(), test.assertion())) {
        return true;
      }
    }
    return false;
  }

  /** An ordering rule that stands alone asks for smaller values (RFC 4517, section 4.2.5). */
  static boolean compares(MatchingRule rule, byte[] value, int length, byte[] assertion) {
    return rule.use() == MatchingRule.Use.ORDERING
        ? Arrays.compareUnsigned(value, 0, length, assertion, 0, assertion.length) < 0
        : rule.matches(value, length, assertion);
  }

  private boolean normalize(MatchingRule rule) {
    int length = values.length();
    tests += cost(length);
    raw.clear().append(values.buffer(), values.start(), length);
    normalized.clear();
    return rule.valueNormalizer().normalize(raw.array(), 0, length, normalized);
  }

  /** The search for pieces in a normalised value (RFC 4511, section 4.5.1.7.2). */
  private static final class Substrings {
    private Substrings() {}

    static boolean match(
        byte[] value,
        int length,
        byte @Nullable [] initial,
        List<byte[]> any,
        byte @Nullable [] last) {
      int from = 0;
      if (initial != null) {
        if (!isAt(value, length, 0, initial)) {
          return false;
        }
        from = initial.length;
      }
      int end = length;
      if (last != null) {
        end = length - last.length;
        if (end < from || !isAt(value, length, end, last)) {
          return false;
        }
      }
      for (int i = 0; i < any.size(); i++) {
        byte[] piece = any.get(i);
        int at = ByteSearch.indexOf(value, from, end, piece);
        if (at < 0) {
          return false;
        }
        from = at + piece.length;
      }
      return true;
    }

    private static boolean isAt(byte[] value, int length, int at, byte[] piece) {
      return piece.length <= length - at
          && Arrays.equals(value, at, at + piece.length, piece, 0, piece.length);
    }
  }
}
