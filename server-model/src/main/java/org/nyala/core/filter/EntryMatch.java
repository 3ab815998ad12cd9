package org.nyala.core.filter;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.EntryMark;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;

/**
 * The match of one entry after the other with a filter, each of which may take several slices.
 *
 * <p>Confined to one running operation. Between slices no transaction is open, and the entry may
 * change: a suspended test has an {@link EntryMark}, and begins again if the entry has changed. Its
 * findings about other entries are looked up anew if anything has changed. {@link #isHopeless}
 * reports that this happened so often that the test should be given up.
 */
public final class EntryMatch {
  /**
   * The product of the bytes of an entry and the nodes of a filter up to which it is tested at
   * once: far below a millisecond, for text in ASCII.
   */
  private static final long LIGHT = 256 << 10;

  /** The weight, in nodes, of a test that looks beyond the entry: never light. */
  private static final int FURTHER = 1 << 20;

  /** Nodes that a test of names counts for. */
  private static final int NAMING = 64;

  /** The limit of restarts of the test of one entry because the entry has changed. */
  private static final int MOST_RESTARTS = 32;

  /**
   * The limit of restarts within its slices because other entries changed, after which a test is
   * hastened: under continuous changes it would otherwise not end.
   */
  private static final int MOST_PATIENT_RESTARTS = 3;

  /**
   * The number of readings of the clock that a hastened slice outlasts, about ten milliseconds'
   * worth.
   */
  private static final int HASTY_LOOKS = 2000;

  private final int interval;
  private CompiledFilter filter;
  private long weight;

  /** The form of the filter that is yet to be made; null once it is. */
  private GuardedFilter.@Nullable Form form;

  private final EntryMark mark = new EntryMark();
  private @Nullable Preparation preparation;
  private @Nullable TestNode root;
  private boolean isSuspended;
  private long snapshot;
  private int restarts;

  /** Prepares to test entries. */
  public EntryMatch(CompiledFilter filter) {
    this(filter, TestRun.INTERVAL, weight(filter));
  }

  /** Prepares to test entries with a form of a filter, which is made with the first of them. */
  public EntryMatch(GuardedFilter.Form form) {
    this(CompiledFilter.Constant.UNDEFINED, TestRun.INTERVAL, 0);
    this.form = form;
  }

  private EntryMatch(CompiledFilter filter, int interval, long weight) {
    this.filter = filter;
    this.interval = interval;
    this.weight = weight;
  }

  /** Tests every entry in slices, and asks for their end every so much work. */
  static EntryMatch inSlices(CompiledFilter filter, int interval) {
    return new EntryMatch(filter, interval, Long.MAX_VALUE >> Integer.SIZE);
  }

  /** The filter, once it is {@linkplain #isFormed formed}. */
  CompiledFilter filter() {
    return filter;
  }

  /**
   * Makes the form of the filter if it is yet to be made.
   *
   * @return false if the slice is over before
   */
  boolean isFormed(FilterMatcher matcher, Pace pace) {
    GuardedFilter.Form going = form;
    if (going == null) {
      return true;
    }
    CompiledFilter made = going.go(pace);
    matcher.charge(going.tests());
    isSuspended = made == null;
    if (made != null) {
      filter = made;
      weight = weight(made);
      form = null;
    }
    return made != null;
  }

  /** Returns whether there is no memory for the filter: no entry can be tested with it. */
  public boolean isRefused() {
    GuardedFilter.Form going = form;
    return going != null && going.isRefused();
  }

  /** Returns whether the test of an entry was begun and has not ended. */
  public boolean isSuspended() {
    return isSuspended;
  }

  /**
   * Returns whether the entry, or the other entries that its test reads, change more often than it
   * can be tested.
   */
  public boolean isHopeless() {
    return restarts > MOST_RESTARTS;
  }

  /** Returns whether an entry is so little work that it is tested at once. */
  boolean isLight(EntryView entry) {
    return !isSuspended
        && (entry.flags() & EntryRecord.LARGE) == 0
        && weight * entry.recordLength() <= LIGHT;
  }

  private static long weight(CompiledFilter filter) {
    return switch (filter) {
      case CompiledFilter.And and -> weight(and.nodes());
      case CompiledFilter.Or or -> weight(or.nodes());
      case CompiledFilter.Not not -> weight(not.node());
      case CompiledFilter.SubstringsItem test -> 1 + test.any().size();
      case CompiledFilter.ExtensibleItem test -> test.dnAttributes() ? NAMING : 1;
      case CompiledFilter.EntryDnItem _ -> NAMING;
      case CompiledFilter.NumberItem _,
          CompiledFilter.ContextCsnItem _,
          CompiledFilter.MemberOfItem _,
          CompiledFilter.ChainItem _ ->
          FURTHER;
      case CompiledFilter.Constant _,
          CompiledFilter.Presence _,
          CompiledFilter.ValueItem _,
          CompiledFilter.HasSubordinatesItem _,
          CompiledFilter.EntryIds _ ->
          1;
    };
  }

  private static long weight(List<CompiledFilter> filters) {
    long weight = 0;
    for (int i = 0; i < filters.size(); i++) {
      weight += weight(filters.get(i));
    }
    return weight;
  }

  /** Goes on with the test of an entry; null if the slice is over. */
  @Nullable Ternary go(TestRun run) {
    TestNode node = root(run);
    Ternary value = node == null ? null : go(node, run);
    isSuspended = value == null;
    if (value == null) {
      mark.put(run.entry());
      snapshot = snapshot(run);
    } else {
      restarts = 0;
    }
    return value;
  }

  /** Returns the form of the filter in which it is tested; null if the slice is over before. */
  private @Nullable TestNode root(TestRun run) {
    TestNode known = root;
    if (known == null) {
      Preparation going = preparation;
      if (going == null) {
        going = new Preparation(filter);
        preparation = going;
      }
      run.begin(interval, 0);
      known = going.go(run);
      if (known != null) {
        root = known;
        preparation = null;
      }
    }
    return known;
  }

  private @Nullable Ternary go(TestNode node, TestRun run) {
    if (!isSuspended || !isSame(run.entry())) {
      node.restart();
    } else if (!isOfOneTime(run)) {
      restarts += node.renew() ? 1 : 0;
    }
    boolean isHasty = restarts > MOST_PATIENT_RESTARTS && node.looksFurther();
    run.begin(interval, isHasty ? HASTY_LOOKS : 0);
    return node.go(run);
  }

  /**
   * Returns whether earlier and present findings about other entries are of one snapshot: otherwise
   * an entry moved from one group to another in between would be a member of neither.
   */
  private boolean isOfOneTime(TestRun run) {
    long now = snapshot(run);
    return now == snapshot && now >= 0;
  }

  private static long snapshot(TestRun run) {
    return run.probe() instanceof EntryFacts probe ? probe.snapshot() : 0;
  }

  private boolean isSame(EntryView entry) {
    if (!mark.isOf(entry)) {
      restarts = 0;
      return false;
    }
    boolean isSame = mark.isSame(entry);
    restarts += isSame ? 0 : 1;
    return isSame;
  }
}
