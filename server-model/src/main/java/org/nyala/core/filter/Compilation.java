package org.nyala.core.filter;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.SteppedCharge;
import org.nyala.core.message.FilterNode;

/**
 * The progress in compiling the filters of an operation: the items compiled so far. Each slice
 * walks the same filters in the same order from the first one, and finds those items here. What
 * they take is charged to the client, who writes the filters, for as long as they are kept.
 *
 * <p>Confined to one running operation.
 */
public final class Compilation implements LongConsumer {
  /**
   * The units of work between two readings of the clock: a tenth of a millisecond at worst. A unit
   * is a byte of an assertion.
   */
  public static final int INTERVAL = 4 << 10;

  /** The cost of an item beside its assertion, in units of work. */
  private static final int ITEM = 32;

  /** The memory of an item beside twice its text: its test, and its part in the joined tests. */
  private static final int ITEM_BYTES = 256;

  /**
   * The memory for compiled filters.
   *
   * <p>Confined to one running operation.
   */
  @FunctionalInterface
  public interface Room {
    /** Takes some bytes more; false if there is no room for them. */
    boolean tryAdd(long bytes);

    /** Returns whether there may be more room later. */
    default boolean isPassing() {
      return true;
    }

    /** Returns room for a number of bytes, for filters that their request is charged for. */
    static Room of(long mostBytes) {
      return new Room() {
        private long left = mostBytes;

        @Override
        public boolean tryAdd(long bytes) {
          left -= bytes;
          return left >= 0;
        }

        @Override
        public boolean isPassing() {
          return false;
        }
      };
    }
  }

  private final List<CompiledFilter> items = new ArrayList<>();
  private final Room room;
  private Pace pace = Pace.OVER;
  private int next;
  private long done;
  private long lookAt;
  private boolean isRefused;

  /**
   * Creates a compilation that has no items yet.
   *
   * @param room takes the memory of the items: a {@link SteppedCharge}, whose owner gives it back
   *     when the compiled filters are no longer used
   */
  public Compilation(Room room) {
    this.room = room;
  }

  /** Begins a slice; each one compiles at least one item, however short it is. */
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
    if (isRefused) {
      return false;
    }
    if (done < lookAt) {
      return true;
    }
    lookAt = done + INTERVAL;
    return pace.goesOn();
  }

  /** Counts work, in bytes of assertions that take as long. */
  @Override
  public void accept(long units) {
    done += units;
  }

  /** The work done in this slice. */
  long done() {
    return done;
  }

  /** Returns whether there is no memory for the items: the slice has ended, and none follows. */
  public boolean isRefused() {
    return isRefused;
  }

  /** Returns whether there may be memory later if there is none now. */
  boolean isPassing() {
    return room.isPassing();
  }

  CompiledFilter keep(CompiledFilter item, FilterNode of) {
    long cost = cost(of);
    return keep(item, cost, ITEM_BYTES + 2 * cost);
  }

  /** Keeps an item that is another form of one that is kept elsewhere. */
  CompiledFilter keepForm(CompiledFilter item) {
    return keep(item, ITEM, ITEM_BYTES);
  }

  private CompiledFilter keep(CompiledFilter item, long cost, long bytes) {
    items.add(item);
    next++;
    done += cost;
    isRefused |= !room.tryAdd(bytes);
    return item;
  }

  /** Returns the memory of a form of a filter with some items, in bytes. */
  public static long formBytes(int items) {
    return (long) ITEM_BYTES * items;
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
