package org.nyala.core.filter;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.message.FilterNode;

/**
 * The progress in compiling the filters of an operation: the items compiled so far. Each slice
 * walks the same filters in the same order from the first one, and finds those items here.
 *
 * <p>Confined to one running operation.
 */
public final class Compilation {
  /**
   * The bytes of assertions between two readings of the clock: a tenth of a millisecond at worst.
   */
  private static final int INTERVAL = 4 << 10;

  /** The cost of an item beside its assertion, in bytes. */
  private static final int ITEM = 32;

  private final List<CompiledFilter> items = new ArrayList<>();
  private Pace pace = Pace.OVER;
  private int next;
  private long done;
  private long lookAt;

  /** Begins a slice, which compiles something in any case. */
  public Compilation begin(Pace end) {
    pace = end;
    next = 0;
    done = 0;
    lookAt = INTERVAL;
    return this;
  }

  /** Returns the next item if it is compiled already; otherwise null. */
  @Nullable CompiledFilter next() {
    return next < items.size() ? items.get(next++) : null;
  }

  /** Returns whether the slice goes on; called before an item is compiled. */
  boolean goesOn() {
    if (done < lookAt) {
      return true;
    }
    lookAt = done + INTERVAL;
    return pace.goesOn();
  }

  /** Keeps an item that was compiled. */
  CompiledFilter keep(CompiledFilter item, FilterNode of) {
    items.add(item);
    next++;
    done += cost(of);
    return item;
  }

  /** Returns the cost of compiling an item, in bytes of text. */
  static long cost(FilterNode item) {
    return switch (item) {
      case FilterNode.Equality test -> cost(test.attribute(), test.value());
      case FilterNode.Approximate test -> cost(test.attribute(), test.value());
      case FilterNode.GreaterOrEqual test -> cost(test.attribute(), test.value());
      case FilterNode.LessOrEqual test -> cost(test.attribute(), test.value());
      case FilterNode.Present test -> (long) ITEM + test.attribute().length();
      case FilterNode.Extensible test ->
          cost(test.attribute() == null ? "" : test.attribute(), test.value());
      case FilterNode.Substrings test -> cost(test);
      case FilterNode.And _, FilterNode.Or _, FilterNode.Not _ -> ITEM;
    };
  }

  private static long cost(String attribute, byte[] value) {
    return (long) ITEM + attribute.length() + value.length;
  }

  private static long cost(FilterNode.Substrings test) {
    long cost = (long) ITEM + test.attribute().length();
    cost += test.initial() == null ? 0 : test.initial().length;
    cost += test.last() == null ? 0 : test.last().length;
    for (int i = 0; i < test.any().size(); i++) {
      cost += (long) ITEM + test.any().get(i).length;
    }
    return cost;
  }
}
