package org.nyala.core.operation.search;

import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.decide.Profile;
import org.nyala.core.access.decide.Reach;
import org.nyala.core.access.rule.Attributes.Pseudo;
import org.nyala.core.access.rule.Right;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryTest;
import org.nyala.core.filter.GuardedFilter;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Scope;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.rights.ProfileRights;
import org.nyala.core.rights.ReachGuard;
import org.nyala.core.schema.Schema;

/**
 * The parts of a search that access rules let its client have: the filter as it may be tested, the
 * entries that may be seen, and the attributes of each.
 *
 * <p>Confined to one running operation. Hot: entries with the same rights share a form of the
 * filter and a selection of attributes.
 */
public final class SearchRights {
  /** The profiles whose forms of the filter are kept; many items make it fewer. */
  private static final int MOST_KEPT = 64;

  private static final int MOST_ITEMS = 1 << 14;

  private EntryRights rights;
  private final GuardedFilter filter;
  private final @Nullable GuardedFilter assertion;
  private final AttributeSelection asked;
  private @Nullable IdentityHashMap<Profile, EntryTest> tests;
  private @Nullable EntryTest last;
  private @Nullable Profile lastProfile;
  private AttributeTable table = AttributeTable.EMPTY;
  private boolean isMixed = true;
  private boolean isRenewed;
  private @Nullable Reach reach;

  /**
   * Creates the rights.
   *
   * @param filter the filter, whose items are compiled
   * @param assertion the filter that the base must match, likewise; null for none
   * @param asked the attributes asked for, hidden or not
   */
  SearchRights(
      EntryRights rights,
      GuardedFilter filter,
      @Nullable GuardedFilter assertion,
      AttributeSelection asked) {
    this.rights = rights;
    this.filter = filter;
    this.assertion = assertion;
    this.asked = asked;
  }

  /** The rights to single entries. */
  public EntryRights entries() {
    return rights;
  }

  /** Goes on with other rights of the client: each entry is asked about from now on. */
  void decideBy(EntryRights others) {
    rights = others;
    isMixed = true;
    tests = null;
    last = null;
    isRenewed = true;
  }

  /** Returns whether the base has to match a filter. */
  public boolean asserts() {
    return assertion != null;
  }

  /** Returns the filter that the base must match, as the client may test it. */
  public CompiledFilter assertion(Profile base, AttributeTable attributes) {
    GuardedFilter asserted = assertion;
    return asserted == null
        ? CompiledFilter.Constant.TRUE
        : asserted.through(rights.guard(base, attributes));
  }

  /**
   * Returns the filter to plan the search with: true for all entries that the client may find, and
   * perhaps for others. Items that it may test nowhere are left out before any index is touched.
   *
   * @param base the name of the base
   * @param scope the scope
   * @param isAnywhere true if entries elsewhere may be found, too, by aliases
   * @param attributes the attributes that entries have
   */
  CompiledFilter plan(Dn base, Scope scope, boolean isAnywhere, AttributeTable attributes) {
    Reach known =
        isAnywhere
            ? rights.rules().reach(Dn.EMPTY, Scope.SUBTREE)
            : rights.rules().reach(base, scope);
    Schema schema = rights.access().schema();
    ReachGuard guard = new ReachGuard(schema, known, attributes);
    CompiledFilter found = filter.through(guard);
    table = attributes;
    isMixed = guard.isMixed();
    reach = known;
    return found;
  }

  /**
   * Lets tests of groups that the client may not read find nothing, as if these did not exist; in
   * the filter and in the assertion. To be called again once the rights are others.
   *
   * @return false if the slice ends before: another call goes on
   */
  public boolean hideGroups(ReadTransaction transaction, Pace pace) throws LdapOperationException {
    if (isRenewed) {
      filter.forgetReferences();
      isRenewed = false;
    }
    GuardedFilter asserted = assertion;
    return rights.hideGroups(filter, transaction, pace)
        && (asserted == null || rights.hideGroups(asserted, transaction, pace));
  }

  /** Lets all tests of groups find nothing, for entries that no store holds. */
  void hideAllGroups() {
    filter.hideReferences();
    GuardedFilter asserted = assertion;
    if (asserted != null) {
      asserted.hideReferences();
    }
  }

  /** Begins a slice. */
  void beginSlice(Backend backend, ReadTransaction transaction) {
    rights.beginSlice(backend, transaction);
    beginSlice(transaction.attributes());
  }

  /** Begins a slice of entries that no store holds. */
  void beginSlice(AttributeTable attributes) {
    if (attributes != table) {
      // Entries may have attributes of which nobody has asked whether they may be tested.
      table = attributes;
      isMixed = true;
      tests = null;
    }
  }

  /**
   * The part of a search whose client may read all entries in scope, and of each attribute that is
   * asked for all values or none: what it gets of an entry then changes with the entry alone.
   *
   * <p>Immutable.
   *
   * @param attributes the numbers of the attributes that it may read
   * @param filter the filter as it may be tested
   */
  public record Uniform(BitSet attributes, CompiledFilter filter) {}

  /**
   * Returns the part that the client has of the search by its present rights, if that is the same
   * for all entries in scope; null if it depends on the entry.
   *
   * @param numbers the attributes to ask about
   */
  public @Nullable Uniform uniform(Dn base, Scope scope, AttributeTable numbers) {
    Reach known = rights.rules().reach(base, scope);
    ReachGuard guard = new ReachGuard(rights.access().schema(), known, numbers);
    CompiledFilter found = filter.through(guard);
    if (guard.isMixed() || known.of(Pseudo.ENTRY, Right.READ) != Reach.Extent.EVERYWHERE) {
      return null;
    }
    BitSet readable = new BitSet();
    for (int id = 1; id <= numbers.size(); id++) {
      AttributeDescription attribute = numbers.description(id);
      if (asked.selects(numbers, id)) {
        Reach.Extent whole = known.of(attribute, Right.READ);
        Reach.Extent values = known.onValues(attribute, Right.READ);
        if (whole == Reach.Extent.MIXED || values != whole) {
          return null;
        }
        readable.set(id, whole == Reach.Extent.EVERYWHERE);
      }
    }
    return new Uniform(readable, found);
  }

  /** Returns whether each entry has to be tested with the filter as its profile allows. */
  boolean isMixed() {
    return isMixed;
  }

  /** Returns whether the client may search an attribute in all entries in scope. */
  public boolean maySearchAll(AttributeDescription attribute) {
    return extent(attribute) == Reach.Extent.EVERYWHERE;
  }

  /** Returns whether the client may search an attribute in some entries in scope. */
  public boolean maySearchSome(AttributeDescription attribute) {
    return extent(attribute) != Reach.Extent.NOWHERE;
  }

  private Reach.Extent extent(AttributeDescription attribute) {
    Reach known = reach;
    return known == null ? Reach.Extent.MIXED : known.ofTest(table, attribute, Right.SEARCH, true);
  }

  /**
   * Returns the attributes of an entry whose values the client may search, by their numbers; null
   * for none. Its rights are found at once. Borrowed.
   */
  public boolean @Nullable [] searchable(ReadTransaction transaction, EntryView entry)
      throws LdapOperationException {
    Profile found = rights.of(entry, transaction);
    return found == null ? null : found.granted(transaction.attributes(), Right.SEARCH);
  }

  /**
   * Returns the client's rights to an entry; see {@link EntryRights#of}.
   *
   * @return null if the slice is over: another call with the same entry goes on
   */
  @Nullable Profile of(EntryView entry, AttributeTable attributes, LongPredicate facts, Pace pace)
      throws LdapOperationException {
    return rights.of(entry, attributes, facts, pace);
  }

  /** Returns the test of entries with a profile. */
  EntryTest test(Profile profile) {
    IdentityHashMap<Profile, EntryTest> all = tests;
    if (all == null) {
      all = new IdentityHashMap<>();
      tests = all;
    }
    EntryTest known = all.get(profile);
    EntryTest going = last;
    Profile of = lastProfile;
    if (known == null && going != null && going.isSuspended() && profile.isSameAs(of)) {
      known = going;
    }
    if (known == null) {
      CompiledFilter form = filter.through(rights.guard(profile, table));
      known = new EntryTest(form);
      if (all.size() >= MOST_KEPT || (long) all.size() * filter.size() >= MOST_ITEMS) {
        all.clear();
      }
      all.put(profile, known);
    }
    last = known;
    lastProfile = profile;
    return known;
  }

  /** Returns the attributes that are sent of entries with a profile. */
  AttributeSelection selection(Profile profile) {
    return profile.selection(asked, of -> new ProfileRights(of, Right.READ, !asked.typesOnly()));
  }

  /** Returns the attributes that are sent of entries with a profile, all values of each. */
  AttributeSelection wholeSelection(Profile profile) {
    return asked.within(new ProfileRights(profile, Right.READ, false));
  }

  /** Returns whether single values of the attributes to send have to be asked about. */
  boolean dependsOnValues(
      Profile profile, EntryView view, AttributeTable attributes, AttributeSelection selection) {
    if (!profile.mayDependOnValues() || selection.typesOnly()) {
      return false;
    }
    boolean[] depending = profile.depending(attributes, Right.READ);
    for (int i = 0; depending != null && i < view.attributeCount(); i++) {
      int id = view.attributeId(i);
      if (depending[id] && selection.selects(attributes, id)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether the client may see a value of an entry with a profile. */
  boolean maySee(Profile profile, AttributeDescription attribute, byte[] value) {
    return rights.mayRead(profile, attribute, value);
  }
}
