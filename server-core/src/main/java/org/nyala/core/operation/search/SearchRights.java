package org.nyala.core.operation.search;

import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.SteppedCharge;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.Compilation;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryMatch;
import org.nyala.core.filter.GuardedFilter;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.rights.ClientRules;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.rights.Profile;
import org.nyala.core.rights.ProfileRights;
import org.nyala.core.rights.Reach;
import org.nyala.core.rights.ReachGuard;
import org.nyala.core.rights.Right;
import org.nyala.core.rights.TestedAttributes;

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

  /** The readings of the clock while the filter is compared with other rights at once. */
  private static final int MOST_LOOKS = 32;

  private EntryRights rights;
  private final GuardedFilter filter;
  private final @Nullable GuardedFilter assertion;
  private final AttributeSelection asked;
  private final MemoryAccount memory;

  /** The memory of the filter: of its items, and as it is planned. */
  private final SteppedCharge held;

  /** The memory of its forms for profiles; null while there is none. */
  private @Nullable SteppedCharge forms;

  private @Nullable Planning planning;
  private @Nullable IdentityHashMap<Profile, EntryMatch> tests;
  private @Nullable EntryMatch last;
  private @Nullable Profile lastProfile;

  /** The profile that {@link #isWhole} is about; null if nothing is known. */
  private @Nullable Profile wholeProfile;

  private boolean isWhole;
  private AttributeTable table = AttributeTable.EMPTY;
  private boolean isMixed = true;
  private @Nullable Predicate<AttributeDescription> tested;
  private @Nullable Reach reach;

  /**
   * Creates the rights.
   *
   * @param filter the filter, whose items are compiled
   * @param assertion the filter that the base must match, likewise; null for none
   * @param asked the attributes asked for, hidden or not
   * @param memory the account of the client
   * @param held takes the memory of the filter from it; given back by {@link #release}
   */
  SearchRights(
      EntryRights rights,
      GuardedFilter filter,
      @Nullable GuardedFilter assertion,
      AttributeSelection asked,
      MemoryAccount memory,
      SteppedCharge held) {
    this.memory = memory;
    this.held = held;
    this.rights = rights;
    this.filter = filter;
    this.assertion = assertion;
    this.asked = asked;
  }

  /** The rights to single entries. */
  public EntryRights entries() {
    return rights;
  }

  /**
   * Returns whether the client may search or know of entries in a tree that is closed to wide
   * rules.
   *
   * @param top the name at the top of the tree
   */
  public boolean mayKnow(Dn top) {
    Reach known = rights.rules().inTree(top).reach(top, Scope.SUBTREE);
    return known.ofEntries(Right.SEARCH) != Reach.Extent.NOWHERE
        || known.ofEntries(Right.DISCLOSE) != Reach.Extent.NOWHERE;
  }

  /**
   * Goes on with the rights in a tree that is closed to wide rules.
   *
   * @param top the name at the top of the tree
   */
  void enterTree(Dn top) {
    decideBy(rights.inTree(top));
    hideAllGroups();
  }

  /** Goes on with other rights of the client: each entry is asked about from now on. */
  public void decideBy(EntryRights others) {
    rights = others;
    isMixed = true;
    forget();
  }

  /** Discards the forms of the filter. */
  private void forget() {
    tests = null;
    last = null;
    lastProfile = null;
    wholeProfile = null;
    SteppedCharge taken = forms;
    if (taken != null) {
      taken.giveBack();
    }
  }

  /** Gives back the memory of the filter when the search has ended. Idempotent. */
  public void release() {
    forget();
    held.giveBack();
  }

  /** Returns the test of the base, as far as the client may test it; null if none is asked for. */
  public @Nullable EntryMatch assertion(Profile base, AttributeTable attributes) {
    GuardedFilter asserted = assertion;
    return asserted == null
        ? null
        : new EntryMatch(asserted.form(rights.guard(base, attributes), held::tryAdd));
  }

  /**
   * Returns the filter to plan the search with: true for all entries that the client may find, and
   * perhaps for others. Items that it may test nowhere are left out before any index is touched.
   *
   * @param base the name of the base
   * @param scope the scope
   * @param isAnywhere true if entries elsewhere may be found, too, by aliases
   * @param attributes the attributes that entries have
   * @param pace is asked every so much work
   * @return null if the slice ends before: another call goes on
   * @throws LdapOperationException busy if there is no memory for it
   */
  @Nullable CompiledFilter plan(
      Dn base, Scope scope, boolean isAnywhere, AttributeTable attributes, Pace pace)
      throws LdapOperationException {
    Reach known =
        isAnywhere
            ? rights.rules().reach(Dn.EMPTY, Scope.SUBTREE)
            : rights.rules().reach(base, scope);
    Planning going = planning;
    if (going == null || going.reach != known || going.attributes != attributes) {
      going = new Planning(known, attributes, guard(known, attributes));
      planning = going;
    }
    CompiledFilter found = go(going, pace);
    if (found != null) {
      planning = null;
      table = attributes;
      isMixed = going.guard.isMixed();
      reach = known;
    }
    return found;
  }

  private @Nullable CompiledFilter go(Planning going, Pace pace) throws LdapOperationException {
    if (filter.isSmall()) {
      return filter.throughSmall(going.guard);
    }
    Compilation compilation = going.compilation;
    if (compilation == null) {
      compilation = new Compilation(held::tryAdd);
      going.compilation = compilation;
    }
    CompiledFilter found = filter.through(going.guard, compilation.begin(pace));
    if (compilation.isRefused()) {
      throw new LdapOperationException(
          ResultCode.BUSY, "there is no memory for the filter at the moment");
    }
    return found;
  }

  private ReachGuard guard(Reach of, AttributeTable attributes) {
    return new ReachGuard(rights.rules().schema(), of, attributes);
  }

  /** The progress in planning. */
  private static final class Planning {
    final Reach reach;
    final AttributeTable attributes;
    final ReachGuard guard;
    @Nullable Compilation compilation;

    Planning(Reach reach, AttributeTable attributes, ReachGuard guard) {
      this.reach = reach;
      this.attributes = attributes;
      this.guard = guard;
    }
  }

  /**
   * Lets tests of groups that the client may not read find nothing, as if these did not exist; in
   * the filter and in the assertion.
   *
   * @return false if the slice ends before: another call goes on
   */
  boolean hideGroups(ReadTransaction transaction, Pace pace) throws LdapOperationException {
    GuardedFilter asserted = assertion;
    return rights.hideGroups(filter, transaction, pace)
        && (asserted == null || rights.hideGroups(asserted, transaction, pace));
  }

  /** Returns whether the filter asks for groups, whether the client may read them or not. */
  public boolean asksGroups() {
    return filter.hasReferences();
  }

  /** Begins to ask anew which of the groups the client may read. */
  public void beginRenewal() {
    filter.renewReferences();
  }

  /**
   * Goes on with asking which of the groups the client may read.
   *
   * @return false if the slice ends before: another call goes on
   */
  public boolean renew(ReadTransaction transaction, Pace pace) throws LdapOperationException {
    if (!rights.hideGroups(filter, transaction, pace)) {
      return false;
    }
    if (filter.hasOtherReferences()) {
      forget();
    }
    return true;
  }

  /** Returns whether the client may read others of the groups since the last renewal. */
  public boolean hasOtherGroups() {
    return filter.hasOtherReferences();
  }

  /** Returns whether the filter tests an attribute, among others perhaps. */
  boolean tests(AttributeDescription attribute) {
    Predicate<AttributeDescription> known = tested;
    if (known == null) {
      known = TestedAttributes.among(rights.rules().schema(), filter.items());
      tested = known;
    }
    return known.test(attribute);
  }

  /** Lets all tests of groups find nothing, for entries that no store holds. */
  void hideAllGroups() {
    filter.hideReferences();
    GuardedFilter asserted = assertion;
    if (asserted != null) {
      asserted.hideReferences();
    }
  }

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
      forget();
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
   * Returns the part that the client has of the search by some rules, if that is the same for all
   * entries in scope; null if it depends on the entry, or takes long to find out.
   *
   * @param rules the present rules for the client, or former ones
   * @param numbers the attributes to ask about
   */
  public @Nullable Uniform uniform(
      ClientRules rules, Dn base, Scope scope, AttributeTable numbers) {
    Reach known = rules.reach(base, scope);
    ReachGuard guard = new ReachGuard(rules.schema(), known, numbers);
    SteppedCharge charge = new SteppedCharge(memory);
    Compilation compilation = new Compilation(charge::tryAdd);
    CompiledFilter found = filter.through(guard, compilation.begin(Pace.ofLooks(MOST_LOOKS)));
    charge.giveBack();
    if (found == null
        || guard.isMixed()
        || known.ofEntries(Right.READ) != Reach.Extent.EVERYWHERE) {
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
    return known == null
        ? Reach.Extent.MIXED
        : known.ofTest(table, attribute, Right.SEARCH, true, _ -> {});
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

  /**
   * Returns whether the client may test all items of a small filter in entries with a profile: what
   * an index has found exactly matches then, and need not be tested.
   */
  boolean letsAllThrough(Profile profile) {
    if (profile != wholeProfile) {
      wholeProfile = profile;
      isWhole = filter.isSmall() && filter.isLetThrough(rights.guard(profile, table));
    }
    return isWhole;
  }

  /** Returns the test of entries with a profile. */
  EntryMatch test(Profile profile) {
    EntryMatch going = last;
    Profile of = lastProfile;
    if (going != null && (profile == of || going.isSuspended() && profile.isSameAs(of))) {
      return going;
    }
    if (going != null && of != null) {
      remember(of, going);
    }
    IdentityHashMap<Profile, EntryMatch> all = tests;
    EntryMatch known = all == null ? null : all.get(profile);
    if (known == null) {
      known = new EntryMatch(filter.form(rights.guard(profile, table), roomForForm()::tryAdd));
    }
    last = known;
    lastProfile = profile;
    return known;
  }

  private void remember(Profile profile, EntryMatch test) {
    IdentityHashMap<Profile, EntryMatch> all = tests;
    if (all == null) {
      all = new IdentityHashMap<>();
      tests = all;
    }
    all.put(profile, test);
  }

  /** Returns the charge of one more form; all others are discarded if there is no room for it. */
  private SteppedCharge roomForForm() {
    SteppedCharge taken = forms;
    if (taken == null) {
      taken = new SteppedCharge(memory);
      forms = taken;
    }
    IdentityHashMap<Profile, EntryMatch> all = tests;
    if (all != null && isFull(all.size(), taken)) {
      all.clear();
      taken.giveBack();
    }
    return taken;
  }

  private boolean isFull(int kept, SteppedCharge taken) {
    return kept >= MOST_KEPT
        || (long) kept * filter.size() >= MOST_ITEMS
        || !filter.isSmall() && !taken.couldAdd(Compilation.formBytes(filter.size()));
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
