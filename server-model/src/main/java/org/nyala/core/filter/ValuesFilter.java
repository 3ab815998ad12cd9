package org.nyala.core.filter;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.schema.MatchingRule;

/**
 * Finds the values of attributes that match any of some filter items, each value by itself (RFC
 * 3876, section 2). Testing one value may take several slices.
 *
 * <p>Confined to one running operation.
 */
public final class ValuesFilter {
  /** The number of attributes whose items are kept for the next entry. */
  private static final int MOST_KNOWN = 64;

  /** The items of all of them together beyond which none are kept but those of one attribute. */
  private static final int MOST_ITEMS = 4096;

  private final List<CompiledFilter> items;
  private final boolean isAll;
  private int knownItems;
  private final Map<AttributeDescription, OfAttribute> known = new HashMap<>();
  private @Nullable Finding finding;
  private final ByteAppender normalized = new ByteAppender(64);
  private Pace pace = Pace.OVER;
  private long tests;
  private long lookAt;
  private int group;
  private int at;

  ValuesFilter(List<CompiledFilter> items) {
    this(items, false);
  }

  private ValuesFilter(List<CompiledFilter> items, boolean isAll) {
    this.items = items;
    this.isAll = isAll;
  }

  /** Returns the filter that all values pass. */
  public static ValuesFilter all() {
    return new ValuesFilter(List.of(), true);
  }

  /** Counts work that was done on a value. */
  public void charge(int cost) {
    tests += cost;
  }

  /**
   * The items that are about one attribute.
   *
   * <p>Immutable.
   */
  public static final class OfAttribute {
    private final boolean isAll;
    private final List<ValueItems> groups;

    OfAttribute(boolean isAll, List<ValueItems> groups) {
      this.isAll = isAll;
      this.groups = groups;
    }

    private int size() {
      int size = 0;
      for (ValueItems group : groups) {
        size += group.size();
      }
      return size;
    }
  }

  /** Returns the number of tests made: the cost of a value depends on the client. */
  public long tests() {
    return tests;
  }

  /** Begins a slice, which does something in any case. */
  public void begin(Pace end) {
    pace = end;
    lookAt = tests + TestRun.INTERVAL;
  }

  /** Returns whether the slice goes on; called after some work was done. */
  public boolean goesOn() {
    if (tests < lookAt) {
      return true;
    }
    lookAt = tests + TestRun.INTERVAL;
    return pace.goesOn();
  }

  /** Discards the progress of the test of a value. */
  public void restart() {
    group = 0;
    at = 0;
  }

  /** The progress in finding the items that are about an attribute. */
  private static final class Finding {
    private final AttributeDescription attribute;
    private final TestNodes about = new TestNodes(false);
    private int at;

    Finding(AttributeDescription attribute) {
      this.attribute = attribute;
    }
  }

  /**
   * Returns the items that are about an attribute.
   *
   * @return null if the slice is over: another call with the same attribute goes on
   */
  public @Nullable OfAttribute of(AttributeDescription attribute) {
    OfAttribute ready = known.get(attribute);
    if (ready == null) {
      Finding going = finding;
      if (going == null || !going.attribute.equals(attribute)) {
        going = new Finding(attribute);
        finding = going;
      }
      ready = find(going);
      if (ready != null) {
        finding = null;
        keep(attribute, ready);
      }
    }
    return ready;
  }

  private void keep(AttributeDescription attribute, OfAttribute found) {
    int count = found.size();
    if (known.size() == MOST_KNOWN || knownItems + count > MOST_ITEMS) {
      known.clear();
      knownItems = 0;
    }
    known.put(attribute, found);
    knownItems += count;
  }

  private @Nullable OfAttribute find(Finding going) {
    if (isAll) {
      return new OfAttribute(true, List.of());
    }
    while (going.at < items.size()) {
      CompiledFilter item = items.get(going.at++);
      tests++;
      if (isAbout(item, going.attribute)) {
        if (item instanceof CompiledFilter.Presence) {
          return new OfAttribute(true, List.of());
        }
        tests += Preparation.cost(item);
        going.about.addOfValues(item);
      }
      if (going.at < items.size() && !goesOn()) {
        return null;
      }
    }
    return new OfAttribute(false, going.about.byRule());
  }

  private static boolean isAbout(CompiledFilter item, AttributeDescription attribute) {
    return switch (item) {
      case CompiledFilter.Presence test -> selects(test.attribute(), attribute);
      case CompiledFilter.ValueItem test -> selects(test.attribute(), attribute);
      case CompiledFilter.SubstringsItem test -> selects(test.attribute(), attribute);
      case CompiledFilter.ExtensibleItem test ->
          test.attribute() == null
              ? RuleApplicability.applies(test.rule(), attribute.type())
              : selects(test.attribute(), attribute);
      case CompiledFilter.Constant _,
          CompiledFilter.And _,
          CompiledFilter.Or _,
          CompiledFilter.Not _,
          CompiledFilter.EntryDnItem _,
          CompiledFilter.HasSubordinatesItem _,
          CompiledFilter.NumberItem _,
          CompiledFilter.ContextCsnItem _,
          CompiledFilter.MemberOfItem _,
          CompiledFilter.ChainItem _,
          CompiledFilter.EntryIds _ ->
          false;
    };
  }

  private static boolean selects(
      @Nullable AttributeSelector selector, AttributeDescription attribute) {
    return selector != null && attribute.isSubtypeOf(selector.description());
  }

  /**
   * Returns whether a value of an attribute matches any item.
   *
   * @return null if the slice is over: another call with the same value goes on
   */
  public @Nullable Boolean matches(OfAttribute attribute, byte[] value) {
    if (attribute.isAll) {
      tests += FilterMatcher.cost(value.length);
      return true;
    }
    tests++;
    while (group < attribute.groups.size()) {
      Boolean matches = matches(attribute.groups.get(group), value);
      if (matches == null) {
        return null;
      }
      if (matches) {
        restart();
        return true;
      }
      group++;
      at = 0;
      if (group < attribute.groups.size() && !goesOn()) {
        return null;
      }
    }
    restart();
    return false;
  }

  private @Nullable Boolean matches(ValueItems those, byte[] value) {
    long before = tests;
    if (!normalize(those.rule(), value)) {
      return false;
    }
    if (at == 0) {
      tests += those.lookUpCost(normalized);
      if (those.equal().find(normalized.array(), normalized.length()) >= 0) {
        return true;
      }
    }
    // Each slice normalises the value again, which must be worth it.
    long worthwhile = tests + (tests - before);
    int count = those.others().size();
    while (at < count) {
      int index = at++;
      tests += those.cost(index, normalized);
      if (those.passes(index, normalized)) {
        return true;
      }
      if (at < count && tests >= worthwhile && !goesOn()) {
        return null;
      }
    }
    return false;
  }

  private boolean normalize(MatchingRule rule, byte[] value) {
    tests += FilterMatcher.cost(value.length);
    normalized.clear();
    return rule.valueNormalizer().normalize(value, 0, value.length, normalized);
  }
}
