package org.nyala.core.backend;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Schema;
import org.nyala.core.search.AttributeSelector;
import org.nyala.core.search.CompiledFilter;
import org.nyala.core.search.EntryProbe;
import org.nyala.core.search.FilterMatcher;
import org.nyala.core.search.Scope;
import org.nyala.core.search.Ternary;

/**
 * Tells which entries of a store refer to which, by attributes whose values are names: one look-up
 * in the index for each name, however many values the referring entries have.
 *
 * <p>Confined to one running operation, and to one transaction. Leaves the views of others where
 * they are.
 */
public final class References implements EntryProbe {
  private final ReadTransaction transaction;
  private final Schema schema;
  private final int maximum;
  private final EntryView view = new EntryView();
  private @Nullable FilterMatcher matcher;
  private final Map<CompiledFilter.ChainTest, Map<Long, Dn>> chains = new HashMap<>(0);
  private boolean isIncomplete;
  private @Nullable Dn knownGroup;
  private long knownGroupId;

  /**
   * Looks through a transaction.
   *
   * @param maximum how many referring entries one answer may take into account, at least 1
   */
  public References(ReadTransaction transaction, Schema schema, int maximum) {
    this.transaction = transaction;
    this.schema = schema;
    this.maximum = maximum;
  }

  /** Whether an answer was cut short, as more entries refer to one than were to be considered. */
  public boolean isIncomplete() {
    return isIncomplete;
  }

  /** The transaction that is looked through. */
  ReadTransaction transaction() {
    return transaction;
  }

  /** The filter that is true for the entries that refer to a name by an attribute. */
  public static CompiledFilter.ValueTest test(AttributeSelector attribute, byte[] normalizedName) {
    MatchingRule rule = attribute.description().type().equality();
    if (rule == null) {
      throw new IllegalArgumentException(attribute + " has no equality rule");
    }
    return new CompiledFilter.ValueTest(
        attribute, CompiledFilter.ValueTest.Comparison.EQUALITY, rule, normalizedName);
  }

  /** Takes an entry that was found. */
  @FunctionalInterface
  public interface Visitor {
    /**
     * Takes the next entry.
     *
     * @param entry borrowed until the return
     * @return whether to go on
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
    try (EntryCursor cursor = transaction.search(spec, afterEntryId)) {
      for (; ; ) {
        EntryCursor.Step step = cursor.next(view, Integer.MAX_VALUE);
        if (step == EntryCursor.Step.END) {
          return;
        }
        boolean isFound =
            step == EntryCursor.Step.ENTRY
                && (cursor.isExact()
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

  /** Whether any entry ever had a value of the attribute; where none had, no look-up is needed. */
  public boolean isInUse(AttributeSelector attribute) {
    AttributeTable table = transaction.attributes();
    for (int id = 1; id <= table.size(); id++) {
      if (attribute.selects(table, id)) {
        return true;
      }
    }
    return false;
  }

  /** The name of an entry. */
  public Dn nameOf(EntryView entry) {
    try {
      return DnParser.parse(schema, entry.dn(), Integer.MAX_VALUE, Integer.MAX_VALUE);
    } catch (InvalidDnException e) {
      throw new IllegalStateException("entry " + entry.id() + " has a name that is not one", e);
    }
  }

  /**
   * The entries that refer to a name, by their ids, in the order in which they are found.
   *
   * @param isTransitive whether those that refer to them belong to them as well
   */
  public Map<Long, Dn> referrers(
      List<AttributeSelector> attributes, Dn name, boolean isTransitive) {
    Map<Long, Dn> found = new LinkedHashMap<>();
    List<Dn> names = new ArrayList<>(1);
    names.add(name);
    for (int i = 0; i < names.size() && !isIncomplete; i++) {
      addReferrers(attributes, names.get(i), found, isTransitive ? names : new ArrayList<>(0));
    }
    return found;
  }

  private void addReferrers(
      List<AttributeSelector> attributes, Dn name, Map<Long, Dn> found, List<Dn> names) {
    for (AttributeSelector attribute : attributes) {
      if (isInUse(attribute)) {
        visit(
            test(attribute, name.normalized()),
            0,
            referrer -> {
              if (!found.containsKey(referrer.id())) {
                if (found.size() == maximum) {
                  isIncomplete = true;
                  return false;
                }
                Dn known = nameOf(referrer);
                found.put(referrer.id(), known);
                names.add(known);
              }
              return true;
            });
      }
    }
  }

  @Override
  public boolean test(long entryId) {
    return transaction.hasSubordinates(entryId);
  }

  /** {@inheritDoc} Of the numbers, only those that the store knows. */
  @Override
  public long number(CompiledFilter.NumberTest.Computed number, EntryView entry) {
    return number == CompiledFilter.NumberTest.Computed.SUBORDINATES
        ? transaction.subordinateCount(entry.id())
        : -1;
  }

  @Override
  public boolean isMember(CompiledFilter.MemberOfTest test, EntryView entry) {
    Dn group = test.group();
    if (group == null) {
      return refers(test.attributes(), nameOf(entry), 0, Long.MAX_VALUE);
    }
    long id = idOf(group);
    if (id == ReadTransaction.NO_ENTRY) {
      return false;
    }
    return test.isTransitive()
        ? referrers(test.attributes(), nameOf(entry), true).containsKey(id)
        : refers(test.attributes(), nameOf(entry), id - 1, id);
  }

  private long idOf(Dn group) {
    if (!group.equals(knownGroup)) {
      knownGroupId = transaction.find(group);
      knownGroup = group;
    }
    return knownGroupId;
  }

  /** Whether an entry refers to a name whose id is above the one bound and up to the other. */
  private boolean refers(List<AttributeSelector> attributes, Dn name, long after, long last) {
    boolean[] found = new boolean[1];
    for (AttributeSelector attribute : attributes) {
      if (!found[0] && isInUse(attribute)) {
        visit(
            test(attribute, name.normalized()),
            after,
            referrer -> {
              found[0] = referrer.id() <= last;
              return false;
            });
      }
    }
    return found[0];
  }

  @Override
  public boolean leadsTo(CompiledFilter.ChainTest test, EntryView entry) {
    return chain(test).containsKey(entry.id());
  }

  /** The entries for which a test is true. */
  Map<Long, Dn> chain(CompiledFilter.ChainTest test) {
    Map<Long, Dn> known = chains.get(test);
    if (known == null) {
      known = referrers(List.of(test.attribute()), test.name(), true);
      chains.put(test, known);
    }
    return known;
  }
}
