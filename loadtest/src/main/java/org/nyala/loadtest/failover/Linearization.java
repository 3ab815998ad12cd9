package org.nyala.loadtest.failover;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * A check that a register behaved as if each operation took effect at one moment between its
 * request and its answer (Herlihy and Wing, 1990). It is the search of Wing and Gong (1993) with
 * the improvements of Lowe (2017): operations take effect just in time, before an answer that needs
 * them, and configurations that were seen are not searched again.
 *
 * <p>All configurations that are possible at a time are kept side by side instead of being tried
 * one after the other, so that memory grows with the operations that overlap, not with the length
 * of the history. Of a configuration with an open read of the present value only the one is kept in
 * which that read has taken effect: it has the same state, and one obligation less.
 *
 * <p>Confined to the thread that checks.
 */
final class Linearization {
  /** The most operations that may be open at once: bits of a word. */
  static final int MOST_OPEN = Long.SIZE;

  /** The most configurations side by side; histories of real servers have some tens of them. */
  private static final int MOST_CONFIGURATIONS = 200_000;

  /** The result of a check. */
  enum Verdict {
    LINEARIZABLE,
    VIOLATED,
    /** More operations were open at once, or more configurations possible, than can be held. */
    UNDECIDED
  }

  /**
   * The result of a check, and where it was found.
   *
   * @param operation the first operation whose answer no order explains; -1 unless violated
   */
  record Result(Verdict verdict, int operation) {}

  /**
   * A configuration.
   *
   * @param value the value of the register
   * @param done the open operations that have taken effect, a bit for the slot of each
   */
  private record Configuration(int value, long done) {}

  private final RegisterHistory history;
  private final int[] slots;
  private final int[] openBySlot = new int[MOST_OPEN];
  private long open;
  private Set<Configuration> possible = new LinkedHashSet<>();

  private Linearization(RegisterHistory history) {
    this.history = history;
    this.slots = new int[history.size()];
    possible.add(new Configuration(history.initial(), 0));
  }

  /** Checks a history. */
  static Result check(RegisterHistory history) {
    return new Linearization(history).run();
  }

  private Result run() {
    Integer[] byStart = places();
    Integer[] byEnd = byStart.clone();
    Arrays.sort(byStart, java.util.Comparator.comparingLong(i -> history.starts()[i]));
    Arrays.sort(byEnd, java.util.Comparator.comparingLong(i -> history.ends()[i]));
    int begun = 0;
    for (int ending : byEnd) {
      long end = history.ends()[ending];
      if (end == Long.MAX_VALUE) {
        break;
      }
      while (begun < byStart.length && history.starts()[byStart[begun]] <= end) {
        if (open == -1) {
          return new Result(Verdict.UNDECIDED, -1);
        }
        begin(byStart[begun++]);
      }
      Set<Configuration> left = end(ending);
      if (left.isEmpty()) {
        return new Result(Verdict.VIOLATED, ending);
      }
      if (left.size() > MOST_CONFIGURATIONS) {
        return new Result(Verdict.UNDECIDED, -1);
      }
      possible = left;
    }
    return new Result(Verdict.LINEARIZABLE, -1);
  }

  private Integer[] places() {
    Integer[] places = new Integer[history.size()];
    Arrays.setAll(places, i -> i);
    return places;
  }

  private void begin(int operation) {
    int slot = Long.numberOfTrailingZeros(~open);
    open |= 1L << slot;
    slots[operation] = slot;
    openBySlot[slot] = operation;
    if (!history.isWrite()[operation]) {
      Set<Configuration> next = new LinkedHashSet<>();
      possible.forEach(each -> next.add(withReads(each.value, each.done)));
      possible = next;
    }
  }

  /** Returns a configuration in which all open reads of its value have taken effect. */
  private Configuration withReads(int value, long done) {
    long all = done;
    for (long rest = open & ~done; rest != 0; rest &= rest - 1) {
      int slot = Long.numberOfTrailingZeros(rest);
      int operation = openBySlot[slot];
      if (!history.isWrite()[operation] && history.values()[operation] == value) {
        all |= 1L << slot;
      }
    }
    return new Configuration(value, all);
  }

  /** Returns the configurations in which an operation has taken effect, without it. */
  private Set<Configuration> end(int operation) {
    long own = 1L << slots[operation];
    Set<Configuration> seen = new LinkedHashSet<>(possible);
    Deque<Configuration> waiting = new ArrayDeque<>(possible);
    Set<Configuration> left = new LinkedHashSet<>();
    while (!waiting.isEmpty() && seen.size() <= MOST_CONFIGURATIONS) {
      Configuration each = waiting.remove();
      if ((each.done & own) != 0) {
        left.add(new Configuration(each.value, each.done & ~own));
        continue;
      }
      for (long rest = open & ~each.done; rest != 0; rest &= rest - 1) {
        int slot = Long.numberOfTrailingZeros(rest);
        int write = openBySlot[slot];
        if (history.isWrite()[write] && history.isMadeUpon(write, each.value)) {
          Configuration next = withReads(history.values()[write], each.done | 1L << slot);
          if (seen.add(next)) {
            waiting.add(next);
          }
        }
      }
    }
    open &= ~own;
    return seen.size() > MOST_CONFIGURATIONS ? seen : left;
  }
}
