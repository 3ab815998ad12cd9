package org.nyala.core.filter;

import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.schema.MatchingRule;

/**
 * The context of one slice of the test of an entry, with a count of the work done.
 *
 * <p>Confined to one running operation, for one slice of a test.
 */
final class TestRun {
  /** The number of tests between two readings of the clock: some ten microseconds. */
  static final int INTERVAL = 256;

  /** The cost of parsing a name, beside its length. */
  private static final int NAME_TESTS = 32;

  /** The number of attributes examined at the cost of a test: 2 to the power of this. */
  private static final int ATTRIBUTES_SHIFT = 4;

  private static final EntryView NONE = new EntryView();

  private final FilterMatcher matcher;
  private final NameMatcher dnTests;
  private final AttributeSelection.Visibility visibility;
  final ValueCursor values = new ValueCursor();
  private final ByteAppender raw = new ByteAppender(512);
  final ByteAppender normalized = new ByteAppender(512);
  private EntryView entry = NONE;
  private AttributeTable table = AttributeTable.EMPTY;
  private LongPredicate probe = _ -> false;
  private Pace pace = Pace.OVER;
  private int interval = INTERVAL;
  private long done;
  private long lookAt;
  private int looksLeft;
  private final Pace lookUps = () -> pace.goesOn() || looksLeft-- > 0 && pace.mayOutlast();

  TestRun(FilterMatcher matcher, NameMatcher dnTests, AttributeSelection.Visibility visibility) {
    this.matcher = matcher;
    this.dnTests = dnTests;
    this.visibility = visibility;
  }

  /** Turns to an entry. */
  TestRun on(EntryView next, AttributeTable numbers, LongPredicate asked, Pace end) {
    entry = next;
    table = numbers;
    probe = asked;
    pace = end;
    return this;
  }

  /**
   * Begins a slice, which makes progress in any case.
   *
   * @param looks the number of times it goes on although its time is over
   */
  void begin(int tests, int looks) {
    interval = tests;
    looksLeft = looks;
    done = 0;
    lookAt = tests;
  }

  EntryView entry() {
    return entry;
  }

  AttributeTable table() {
    return table;
  }

  /** The end of the slice for look-ups beyond the entry. */
  Pace lookUps() {
    return lookUps;
  }

  /** Returns the test that knows more than the entry contains. */
  LongPredicate probe() {
    return probe;
  }

  /** Returns the amount of work done in this slice of this test. */
  long done() {
    return done;
  }

  /** Counts work. */
  void charge(long tests) {
    done += tests;
    matcher.charge(tests);
  }

  /** Returns whether the slice goes on; called after some work was done. */
  boolean goesOn() {
    if (done < lookAt) {
      return true;
    }
    lookAt = done + interval;
    return lookUps.goesOn();
  }

  /** Carries out a test at once. */
  Ternary test(CompiledFilter test) {
    switch (test) {
      case CompiledFilter.Presence presence -> chargeLook(presence.attribute());
      case CompiledFilter.EntryDnItem _ ->
          charge(NAME_TESTS + FilterMatcher.cost(entry.dnLength()));
      case CompiledFilter.ExtensibleItem naming -> {
        charge(NAME_TESTS + 4L * FilterMatcher.cost(entry.dnLength()));
        return Ternary.of(dnTests.anyNamingValue(naming, entry, visibility));
      }
      default -> {}
    }
    long before = matcher.tests();
    Ternary value = matcher.match(test, entry, table, probe);
    done += matcher.tests() - before;
    return value;
  }

  /** Counts the cost of searching for the selected attributes. */
  void chargeLook(@Nullable AttributeSelector attribute) {
    boolean isKnown = attribute == null || attribute.knows(table);
    charge(
        1
            + (entry.attributeCount() >> ATTRIBUTES_SHIFT)
            + (isKnown ? 0 : AttributeSelector.cost(table)));
  }

  /**
   * Returns whether the attribute at {@code index} is selected; by rule and rights if no selector
   * is given.
   */
  boolean selects(
      @Nullable AttributeSelector attribute,
      @Nullable AttributeRights rights,
      MatchingRule rule,
      int index) {
    int id = entry.attributeId(index);
    return attribute != null
        ? attribute.selects(table, id)
        : CompiledFilter.ExtensibleItem.selects(rights, rule, table, id, visibility);
  }

  /** Normalises the value at hand; false if the rule does not know such values. */
  boolean normalize(MatchingRule rule) {
    int length = values.length();
    charge(FilterMatcher.cost(length));
    raw.clear().append(values.buffer(), values.start(), length);
    normalized.clear();
    return rule.valueNormalizer().normalize(raw.array(), 0, length, normalized);
  }
}
