package org.nyala.core.integrity;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryFacts;
import org.nyala.core.filter.FilterMatcher;
import org.nyala.core.filter.Pace;
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.Scope;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Schema;

/**
 * The references among the entries of a store, by attributes whose values are names: one look-up in
 * the index for each name, however many values the referring entries have.
 *
 * <p>Confined to one running operation, and to one transaction. Leaves the views of others where
 * they are.
 */
public final class References implements EntryFacts {
  /** No entry id: a visit has come to its end. */
  private static final long END = -1;

  /** The number of candidates examined between two readings of the clock. */
  private static final int EXAMINED = 64;

  private final ReadTransaction transaction;
  private final Schema schema;
  private final int maximum;
  private final Pace ownPace;
  private final EntryView view = new EntryView();
  private @Nullable FilterMatcher matcher;
  private final Map<CompiledFilter.ChainItem, Map<Long, Dn>> chains = new HashMap<>(0);
  private boolean isIncomplete;
  private @Nullable Dn knownGroup;
  private long knownGroupId;

  /**
   * Creates a view of the references in a transaction.
   *
   * @param maximum the maximum number of referring entries that one answer takes into account, at
   *     least 1
   * @param ownPace checked at each visit and after a number of entries of it, and by answers for
   *     which no other is given; once it ends, they take no more entries into account. {@link
   *     Pace#OVER} if there are no visits, and no such answers
   */
  public References(ReadTransaction transaction, Schema schema, int maximum, Pace ownPace) {
    this.ownPace = ownPace;
    this.transaction = transaction;
    this.schema = schema;
    this.maximum = maximum;
  }

  /** Returns whether an answer was cut short because more entries refer to one than the maximum. */
  public boolean isIncomplete() {
    return isIncomplete;
  }

  /** The transaction that is looked through. */
  public ReadTransaction transaction() {
    return transaction;
  }

  /** The filter that is true for the entries that refer to a name by an attribute. */
  public static CompiledFilter.ValueItem test(AttributeSelector attribute, byte[] normalizedName) {
    MatchingRule rule = attribute.description().type().equality();
    if (rule == null) {
      throw new IllegalArgumentException(attribute + " has no equality rule");
    }
    return new CompiledFilter.ValueItem(
        attribute, CompiledFilter.ValueItem.Comparison.EQUALITY, rule, normalizedName);
  }

  /** Takes an entry that was found. */
  @FunctionalInterface
  public interface Visitor {
    /**
     * Processes the next entry.
     *
     * @param entry borrowed until the return
     * @return true to go on
     */
    boolean visit(EntryView entry);
  }

  /**
   * Shows every entry for which a filter is true, after an entry id and by rising ids.
   *
   * @param filter should be one that an index answers
   */
  public void visit(CompiledFilter filter, long afterEntryId, Visitor visitor) {
    SearchSpec everywhere =
        new SearchSpec(ReadTransaction.NO_ENTRY, Scope.SUBTREE, filter, false, false);
    visit(everywhere, afterEntryId, visitor);
  }

  /** Shows every entry that is looked for, after an entry id and by rising ids. */
  public void visit(SearchSpec spec, long afterEntryId, Visitor visitor) {
    visit(spec, afterEntryId, true, visitor);
  }

  /**
   * Shows every entry for which a filter may be true, by rising ids: the visitor tests it.
   *
   * @param filter should be one that an index answers
   */
  public void visitCandidates(CompiledFilter filter, Visitor visitor) {
    SearchSpec everywhere =
        new SearchSpec(ReadTransaction.NO_ENTRY, Scope.SUBTREE, filter, false, false);
    visit(everywhere, 0, false, visitor);
  }

  private void visit(SearchSpec spec, long afterEntryId, boolean isTested, Visitor visitor) {
    try (EntryCursor cursor = transaction.search(spec, afterEntryId)) {
      while (ownPace.goesOn()) {
        EntryCursor.Step step = cursor.next(view, EXAMINED);
        if (step == EntryCursor.Step.END) {
          return;
        }
        boolean isFound =
            step == EntryCursor.Step.ENTRY
                && (!isTested
                    || cursor.isExact()
                    || matcher().match(spec.filter(), view, transaction.attributes(), this)
                        == Ternary.TRUE);
        if (isFound && !visitor.visit(view)) {
          return;
        }
      }
    }
  }

  private FilterMatcher matcher() {
    FilterMatcher known = matcher;
    if (known == null) {
      known = new FilterMatcher(schema, _ -> true);
      matcher = known;
    }
    return known;
  }

  /**
   * Returns whether any entry ever had a value of the attribute; if none had, no look-up is needed.
   */
  public boolean isInUse(AttributeSelector attribute) {
    AttributeTable table = transaction.attributes();
    for (int id = 1; id <= table.size(); id++) {
      if (attribute.selects(table, id)) {
        return true;
      }
    }
    return false;
  }

  public Dn nameOf(EntryView entry) {
    return DnParser.parseStored(schema, entry.dn());
  }

  /**
   * The entries that refer to a name, by their ids, in the order in which they are found: an answer
   * that may take several slices.
   *
   * <p>Confined to one running operation.
   */
  public static final class Referrers implements LookUp {
    private final List<AttributeSelector> attributes;
    private final boolean isTransitive;
    private final Map<Long, Dn> found = new LinkedHashMap<>();
    private final List<Dn> names = new ArrayList<>(1);
    private int nameAt;
    private int attributeAt;
    private long after;
    private boolean isIncomplete;

    /**
     * Begins the look-up.
     *
     * @param isTransitive true to include entries that refer to included ones
     */
    public Referrers(List<AttributeSelector> attributes, Dn name, boolean isTransitive) {
      this.attributes = attributes;
      this.isTransitive = isTransitive;
      names.add(name);
    }

    /** Returns the entries found so far, with their names. */
    public Map<Long, Dn> found() {
      return found;
    }

    boolean isIncomplete() {
      return isIncomplete;
    }
  }

  /**
   * The look-up of whether one entry, or any, refers to a name: an answer that may take several
   * slices.
   */
  private static final class Direct implements LookUp {
    private final List<AttributeSelector> attributes;
    private final byte[] name;
    private final long first;
    private final long last;
    private int attributeAt;
    private long after;
    private boolean isFound;

    Direct(List<AttributeSelector> attributes, byte[] name, long first, long last) {
      this.attributes = attributes;
      this.name = name;
      this.first = first;
      this.last = last;
      this.after = first;
    }
  }

  /** The look-up of whether one entry is among those that refer to another. */
  private record Transitive(Referrers referrers, long group) implements LookUp {}

  /**
   * Returns the entries that refer to a name, by their ids, in the order in which they are found:
   * an answer that takes one slice.
   *
   * @param isTransitive true to include entries that refer to included ones
   */
  public Map<Long, Dn> referrers(
      List<AttributeSelector> attributes, Dn name, boolean isTransitive) {
    Referrers referrers = new Referrers(attributes, name, isTransitive);
    requireEnd(goOn(referrers, ownPace));
    return referrers.found;
  }

  /** Requires the end of an answer; a pace of one's own that has ended ends the work anyway. */
  private void requireEnd(boolean isEnd) {
    if (!isEnd && ownPace == Pace.OVER) {
      throw new IllegalStateException("an answer in one slice takes longer");
    }
  }

  /** Continues the search for referring entries; false if the slice ends before the end. */
  public boolean goOn(Referrers to, Pace pace) {
    while (to.nameAt < to.names.size() && !to.isIncomplete) {
      while (to.attributeAt < to.attributes.size() && !to.isIncomplete) {
        AttributeSelector attribute = to.attributes.get(to.attributeAt);
        if (isInUse(attribute)) {
          byte[] name = to.names.get(to.nameAt).normalized();
          to.after = visit(test(attribute, name), to.after, pace, each -> add(to, each));
          if (to.after != END) {
            return false;
          }
        }
        to.attributeAt++;
        to.after = 0;
        if (!pace.goesOnAfterNothing()) {
          return false;
        }
      }
      to.attributeAt = 0;
      to.nameAt++;
    }
    isIncomplete |= to.isIncomplete;
    return true;
  }

  private boolean add(Referrers to, EntryView referrer) {
    if (!to.found.containsKey(referrer.id())) {
      if (to.found.size() == maximum) {
        to.isIncomplete = true;
        return false;
      }
      Dn known = nameOf(referrer);
      to.found.put(referrer.id(), known);
      if (to.isTransitive) {
        to.names.add(known);
      }
    }
    return true;
  }

  /** Returns the entry id after which to continue a visit, or {@link #END}. */
  private long visit(CompiledFilter filter, long afterEntryId, Pace pace, Visitor visitor) {
    SearchSpec everywhere =
        new SearchSpec(ReadTransaction.NO_ENTRY, Scope.SUBTREE, filter, false, false);
    try (EntryCursor cursor = transaction.search(everywhere, afterEntryId)) {
      for (; ; ) {
        EntryCursor.Step step = cursor.next(view, EXAMINED);
        boolean isFound =
            step == EntryCursor.Step.ENTRY
                && (cursor.isExact()
                    || matcher().match(filter, view, transaction.attributes(), this)
                        == Ternary.TRUE);
        if (step == EntryCursor.Step.END || isFound && !visitor.visit(view)) {
          return END;
        }
        if (!pace.goesOn()) {
          return cursor.position();
        }
      }
    }
  }

  @Override
  public long snapshot() {
    return transaction.snapshot();
  }

  @Override
  public boolean test(long entryId) {
    return transaction.hasSubordinates(entryId);
  }

  /** {@inheritDoc} Of the numbers, only those that the store knows. */
  @Override
  public long number(CompiledFilter.NumberItem.Computed number, EntryView entry) {
    return number == CompiledFilter.NumberItem.Computed.SUBORDINATES
        ? transaction.subordinateCount(entry.id())
        : -1;
  }

  @Override
  public boolean hasContextCsn(CompiledFilter.ContextCsnItem test, EntryView entry) {
    return entry.parentId() == ReadTransaction.NO_ENTRY
        && transaction.contextCsns(entry.id()).passes(test);
  }

  @Override
  public boolean isMember(CompiledFilter.MemberOfItem test, EntryView entry) {
    Boolean found = goOn(lookUp(test, entry), entry, ownPace);
    requireEnd(found != null);
    return Boolean.TRUE.equals(found);
  }

  @Override
  public LookUp lookUp(CompiledFilter.MemberOfItem test, EntryView entry) {
    Dn group = test.group();
    if (group == null) {
      return new Direct(test.attributes(), nameOf(entry).normalized(), 0, Long.MAX_VALUE);
    }
    long id = idOf(group);
    return test.isTransitive() && id != ReadTransaction.NO_ENTRY
        ? new Transitive(new Referrers(test.attributes(), nameOf(entry), true), id)
        : new Direct(
            id == ReadTransaction.NO_ENTRY ? List.of() : test.attributes(),
            nameOf(entry).normalized(),
            id - 1,
            id);
  }

  @Override
  public LookUp lookUp(CompiledFilter.ChainItem test) {
    return new Referrers(List.of(test.attribute()), test.name(), true);
  }

  @Override
  public @Nullable Boolean goOn(LookUp lookUp, EntryView entry, Pace pace) {
    return switch (lookUp) {
      case Direct direct -> goOn(direct, pace);
      case Transitive to ->
          goOn(to.referrers(), pace) ? to.referrers().found.containsKey(to.group()) : null;
      case Referrers chain -> goOn(chain, pace) ? chain.found.containsKey(entry.id()) : null;
      case LookUp other -> throw new IllegalArgumentException("not of this store: " + other);
    };
  }

  /** Returns whether an entry with an id above one bound and up to the other refers to a name. */
  private @Nullable Boolean goOn(Direct direct, Pace pace) {
    while (direct.attributeAt < direct.attributes.size() && !direct.isFound) {
      AttributeSelector attribute = direct.attributes.get(direct.attributeAt);
      if (isInUse(attribute)) {
        direct.after =
            visit(
                test(attribute, direct.name),
                direct.after,
                pace,
                referrer -> {
                  direct.isFound = referrer.id() <= direct.last;
                  return false;
                });
        if (direct.after != END) {
          return null;
        }
      }
      direct.attributeAt++;
      direct.after = direct.first;
    }
    return direct.isFound;
  }

  private long idOf(Dn group) {
    if (!group.equals(knownGroup)) {
      knownGroupId = transaction.find(group);
      knownGroup = group;
    }
    return knownGroupId;
  }

  @Override
  public boolean leadsTo(CompiledFilter.ChainItem test, EntryView entry) {
    return chain(test).containsKey(entry.id());
  }

  /** The entries for which a test is true. */
  Map<Long, Dn> chain(CompiledFilter.ChainItem test) {
    Map<Long, Dn> known = chains.get(test);
    if (known == null) {
      known = referrers(List.of(test.attribute()), test.name(), true);
      chains.put(test, known);
    }
    return known;
  }
}
