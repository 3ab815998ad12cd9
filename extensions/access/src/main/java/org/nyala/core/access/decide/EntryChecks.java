package org.nyala.core.access.decide;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.decide.EntryAccess.CapturedGroups;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryMark;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.ClassResults;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryMatch;
import org.nyala.core.filter.FilterMatcher;
import org.nyala.core.filter.Pace;
import org.nyala.core.filter.Ternary;

/**
 * Makes the tests of one entry after the other, each in as many slices as it takes. Findings about
 * an entry are kept until its last test is done, or the entry changes.
 *
 * <p>Confined to one running operation. Hot.
 */
final class EntryChecks {
  /** The most memberships that are remembered: about a hundred kilobytes. */
  private static final int MOST_MEMBERSHIPS = 512;

  private final DecidedRules rules;
  private final CapturedGroups groups;
  private final OwnRdn own;
  private final @Nullable EntryMatch[] tests;
  private final @Nullable Boolean[] results;
  private final int[] found;
  private final Map<EntryCheck.Member, Boolean> memberships = new HashMap<>();
  private final EntryMark mark = new EntryMark();
  private @Nullable FilterMatcher matcher;
  private @Nullable EntryMatch unfinished;
  private int foundCount;
  private boolean isSuspended;

  EntryChecks(DecidedRules rules, CapturedGroups groups, OwnRdn own) {
    this.rules = rules;
    this.groups = groups;
    this.own = own;
    this.tests = new @Nullable EntryMatch[rules.filterCount()];
    this.results = new @Nullable Boolean[tests.length];
    this.found = new int[tests.length];
  }

  long tests() {
    FilterMatcher known = matcher;
    return known == null ? 0 : known.tests();
  }

  boolean isHopeless() {
    EntryMatch test = unfinished;
    return test != null && test.isHopeless();
  }

  /**
   * Makes the tests that lead from a node to the answers.
   *
   * @param entry the entry; null for one that does not exist, which no filter matches
   * @return null if the slice is over: another call with the same entry goes on
   */
  @Nullable RuledProfile go(
      Node from, @Nullable EntryView entry, AttributeTable table, LongPredicate facts, Pace pace) {
    begin(entry);
    Node node = from;
    while (node instanceof Fork fork) {
      Boolean result = result(fork.check(), entry, table, facts, pace);
      if (result == null) {
        suspend(entry);
        return null;
      }
      node = fork.after(result);
    }
    return node instanceof RuledProfile profile ? profile : null;
  }

  private void begin(@Nullable EntryView entry) {
    boolean goesOn = isSuspended && entry != null && mark.isSame(entry);
    if (!goesOn) {
      while (foundCount > 0) {
        results[found[--foundCount]] = null;
      }
    }
    isSuspended = false;
  }

  private void suspend(@Nullable EntryView entry) {
    if (entry != null) {
      mark.put(entry);
      isSuspended = true;
    }
  }

  private @Nullable Boolean result(
      EntryCheck check,
      @Nullable EntryView entry,
      AttributeTable table,
      LongPredicate facts,
      Pace pace) {
    return switch (check) {
      case EntryCheck.Is is -> is.rdn().isSame(own.bytes(), own.length());
      case EntryCheck.Begins begins -> begins.start().isStartOf(own.bytes(), own.length());
      case EntryCheck.Matches matches ->
          entry == null ? Boolean.FALSE : matches(matches.filter(), entry, table, facts, pace);
      case EntryCheck.Member member -> isMember(member, pace);
      case EntryCheck.Unknown _ -> throw new IllegalArgumentException("no test");
    };
  }

  private @Nullable Boolean matches(
      int filter, EntryView entry, AttributeTable table, LongPredicate facts, Pace pace) {
    Boolean known = results[filter];
    if (known != null) {
      return known;
    }
    ClassResults classes = rules.classResults(filter);
    Boolean ofClasses = classes == null ? null : classes.of(entry, table);
    if (ofClasses != null) {
      return ofClasses;
    }
    if (lacks(rules.filter(filter), entry, table)) {
      return Boolean.FALSE;
    }
    EntryMatch test = tests[filter];
    if (test == null) {
      test = new EntryMatch(rules.filter(filter));
      tests[filter] = test;
    }
    Ternary value = matcher().match(test, entry, table, facts, pace);
    if (value == null) {
      unfinished = test;
      return null;
    }
    found[foundCount++] = filter;
    results[filter] = value == Ternary.TRUE;
    if (classes != null) {
      classes.keep(entry, table, value == Ternary.TRUE);
    }
    return results[filter];
  }

  /** Returns whether an entry cannot match, as it has no value that a filter asks for. */
  private static boolean lacks(CompiledFilter filter, EntryView entry, AttributeTable table) {
    if (!(filter instanceof CompiledFilter.ValueItem test)) {
      return false;
    }
    for (int i = 0; i < entry.attributeCount(); i++) {
      if (test.attribute().selects(table, entry.attributeId(i))) {
        return false;
      }
    }
    return true;
  }

  /** The matcher that sees entries as they are stored. */
  private FilterMatcher matcher() {
    FilterMatcher known = matcher;
    if (known == null) {
      known = new FilterMatcher(rules.compiled().schema(), _ -> true);
      matcher = known;
    }
    return known;
  }

  private @Nullable Boolean isMember(EntryCheck.Member member, Pace pace) {
    EntryCheck.Member complete = member;
    if (member.after() != null) {
      String name = member.before() + own.value() + member.after();
      complete = new EntryCheck.Member(member.group(), name, null);
    }
    Boolean known = memberships.get(complete);
    if (known == null) {
      known = ask(complete, pace);
      if (memberships.size() >= MOST_MEMBERSHIPS) {
        memberships.clear();
      }
      if (known != null) {
        memberships.put(complete, known);
      }
    }
    return known;
  }

  private @Nullable Boolean ask(EntryCheck.Member member, Pace pace) {
    Dn user = rules.user();
    if (user == null) {
      return false;
    }
    Dn name;
    try {
      name = DnParser.parse(rules.compiled().schema(), member.before());
    } catch (InvalidDnException _) {
      return false;
    }
    return groups.isMember(user, name, member.group(), pace);
  }
}
