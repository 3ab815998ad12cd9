package org.nyala.core.operation.search;

import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.control.ControlType;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.StoredEntryFacts;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryMatch;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.values.ComputedValues;
import org.nyala.core.operation.values.GroupNames;
import org.nyala.core.operation.values.MatchedValues;
import org.nyala.core.rights.ChangeSight;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.rights.Profile;
import org.nyala.core.session.Operation;
import org.nyala.extension.EntryControls;

/**
 * The part of a search that stays the same once its base is found.
 *
 * <p>Confined to one running operation.
 */
public final class SearchPlan {
  private final OperationContext directory;
  private final Request.Search request;
  private final SearchFilter filter;
  private final @Nullable SearchRights rights;
  private final SeenEntries seen;
  private final SearchControls controls;
  private final boolean computes;
  private final boolean tellsUsability;
  private final SearchBounds bounds;
  private final SlicePace pace;
  private final boolean isOpen;
  private final MemoryAccount memory;
  private final SingleValues singleValues;
  private final EntryControls.@Nullable Collector entryControls;
  private @Nullable LargeEntrySender largeEntries;
  private @Nullable RightsOfSubject told;
  private @Nullable GroupNames groups;

  /** The rights told with an entry whose groups take another slice. */
  private @Nullable List<byte[]> kept;

  private @Nullable EntryMarks marks;

  /**
   * Creates a plan.
   *
   * @param pace the end of the current slice, which every stage sets at its beginning
   * @throws LdapOperationException protocolError if the request for pages is none
   */
  public SearchPlan(
      OperationContext directory,
      Request.Search request,
      CompiledFilter filter,
      AttributeSelection selection,
      SearchControls controls,
      @Nullable SearchRights rights,
      Operation operation,
      SlicePace pace)
      throws LdapOperationException {
    this.directory = directory;
    this.request = request;
    this.rights = rights;
    this.pace = pace;
    this.seen = new SeenEntries(directory, rights, selection, pace);
    this.controls = controls;
    // A copy gets what is stored: its server computes the rest itself.
    this.computes =
        !controls.all().has(ControlType.SYNC_REQUEST)
            && ComputedValues.areSelected(directory.reading(), selection, controls.manageDsaIt());
    this.tellsUsability = controls.all().has(ControlType.ACCOUNT_USABILITY);
    this.filter = new SearchFilter(this, directory, filter);
    this.bounds = SearchBounds.of(directory.limits(), request, operation);
    this.memory = operation.session().memory();
    this.isOpen = operation.isByRootSafely();
    this.singleValues = new SingleValues(directory.reading(), memory, controls.matchedValues());
    EntryControls.Wanted wanted = controls.entryControls();
    this.entryControls = wanted == null ? null : wanted.begin(operation, pace);
  }

  /** Returns the client's part of the search by access rules; null if there are none. */
  public @Nullable SearchRights rights() {
    return rights;
  }

  /** Returns the client's rights to single entries by access rules; null if there are none. */
  public @Nullable EntryRights entryRights() {
    SearchRights known = rights;
    return known == null ? null : known.entries();
  }

  /**
   * Returns the number of the client's rules: another one if they are others. Without rules, that
   * of a client that searches all attributes, or not those that are hidden.
   */
  public long rightsNumber() {
    SearchRights known = rights;
    if (known == null) {
      return isOpen ? -1 : 0;
    }
    return known.entries().rules().number();
  }

  /** Returns the entries of the store as the client sees them. */
  public SeenEntries seen() {
    return seen;
  }

  /**
   * Turns to an entry that was found, if the client may see it.
   *
   * @return null if the slice ends before that is known
   */
  public @Nullable Boolean mayShow(ReadTransaction transaction, EntryView view)
      throws LdapOperationException {
    return seen.maySee(transaction, view);
  }

  /**
   * Turns to the image of an entry that was changed, if the client may see it.
   *
   * @return null if the slice ends before that is known
   */
  public @Nullable Boolean mayShowImage(
      EntryView view, AttributeTable table, StoredEntryFacts facts) throws LdapOperationException {
    return seen.maySeeImage(view, table, facts);
  }

  /**
   * Returns whether a change of an entry that the client sees before and after concerns it, because
   * it may read some of it, and turns to the entry. Attributes that the server writes with every
   * change count if they are asked for. Moves the view of the thread.
   *
   * @param sight the client's rights to the entry
   */
  public boolean isTouched(ChangeSight sight) {
    return isTouched(sight, _ -> false);
  }

  /**
   * Returns whether such a change concerns the client because it may read some of it, or may search
   * it, and does so.
   */
  public boolean isFoundOut(ChangeSight sight) {
    SearchRights known = rights;
    return known == null || isTouched(sight, known::tests);
  }

  private boolean isTouched(ChangeSight sight, Predicate<AttributeDescription> tested) {
    Profile after = sight.after();
    if (rights == null || after == null) {
      return true;
    }
    show(after);
    return sight.isTouched(
        directory.scratch().view, new ChangeSight.Interest(tested, this::isPassedOver));
  }

  private boolean isPassedOver(AttributeDescription changed) {
    return directory.updating().operational().isStamp(changed)
        && !seen.lastSelection().selects(changed);
  }

  /** Sets the rights that are told with each entry; null for none. */
  public SearchPlan tell(@Nullable RightsOfSubject others) {
    told = others;
    return this;
  }

  /**
   * Returns the requested attributes of the entry at hand that no store holds, each a whole BER
   * {@code PartialAttribute}.
   *
   * @return null if the slice ends before: another call with the same entry goes on
   * @throws LdapOperationException like {@link ComputedValues#of}
   */
  @Nullable List<byte[]> computed(ReadTransaction transaction, EntryView view)
      throws LdapOperationException {
    if (!computes()) {
      return List.of();
    }
    GroupNames known = groups;
    if (known == null) {
      known = new GroupNames(directory, memory, pace);
      groups = known;
    }
    RightsOfSubject others = told;
    List<byte[]> ofOthers = kept != null && known.isUnchanged(view) ? kept : List.of();
    if (others != null && ofOthers.isEmpty()) {
      ofOthers = others.of(this, transaction, view);
      if (ofOthers == null) {
        return null;
      }
    }
    List<byte[]> attributes =
        ComputedValues.of(
            known, seen.selection(view), manageDsaIt(), entryRights(), transaction, view);
    kept = attributes == null ? ofOthers : null;
    if (attributes != null) {
      attributes.addAll(ofOthers);
    }
    return attributes;
  }

  /** Begins a slice with a transaction of a store; before its first entry. */
  public void beginSlice(Backend backend, ReadTransaction transaction) {
    RightsOfSubject others = told;
    if (others != null) {
      others.beginSlice(backend, transaction);
    }
    SearchRights known = rights;
    if (known != null) {
      known.beginSlice(backend, transaction);
    }
    EntryControls.Collector further = entryControls;
    if (further != null) {
      further.beginSlice(backend, transaction);
    }
    seen.beginSlice();
  }

  /**
   * Turns to the image of a changed entry that the client may see.
   *
   * @param of the client's rights to it
   */
  public void show(Profile of) {
    seen.turnToImage(of);
  }

  /** Sets the marks that entries are sent with. */
  public SearchPlan mark(EntryMarks others) {
    marks = others;
    return this;
  }

  /** Returns the marks that entries are sent with; null for none. */
  @Nullable EntryMarks marks() {
    return marks;
  }

  /** Returns the filter as it is carried out. */
  public SearchFilter filter() {
    return filter;
  }

  /** Returns whether the client is told if the accounts of entries can be used. */
  boolean tellsUsability() {
    return tellsUsability;
  }

  /** Returns the client's rights to the entry shown; null if there are no access rules. */
  public @Nullable Profile profile(EntryView view) {
    return seen.profile(view);
  }

  public OperationContext directory() {
    return directory;
  }

  public Request.Search request() {
    return request;
  }

  /**
   * The test of one entry after the other, as far as the client may test the one shown; once the
   * references are resolved.
   */
  public EntryMatch test(EntryView view) {
    return filter.test(seen.profile(view));
  }

  /** Returns the end of the current slice, which every stage sets at its beginning. */
  public SlicePace pace() {
    return pace;
  }

  /** The account of the connection that searches. */
  public MemoryAccount memory() {
    return memory;
  }

  /** Returns the answers to tests that look beyond an entry itself. */
  public StoredEntryFacts probe(ReadTransaction transaction) {
    return seen.facts(transaction);
  }

  /** Returns the attributes to send of the entry shown. */
  public AttributeSelection selection(EntryView view) {
    return seen.selection(view);
  }

  public boolean manageDsaIt() {
    return controls.manageDsaIt();
  }

  public SearchControls controls() {
    return controls;
  }

  /** Returns whether aliases below the base are followed. */
  public boolean followsAliases() {
    return request.derefAliases().searching() && request.scope() != Scope.BASE;
  }

  /** Returns whether any attribute that no store holds was requested. */
  public boolean computes() {
    return computes || told != null;
  }

  public SearchBounds bounds() {
    return bounds;
  }

  /** Returns the search for a store's cursor below one base. */
  public SearchSpec spec(long baseId, Scope scope) {
    return new SearchSpec(
        baseId, scope, filter.compiled(), !manageDsaIt(), followsAliases(), memory);
  }

  /**
   * Returns the sender of single values of the entry at hand; null if its attributes are sent as
   * they are.
   */
  @Nullable MatchedValues values(EntryView view, AttributeTable table) {
    SearchRights known = rights;
    Profile of = seen.profile(view);
    return known == null || of == null
        ? singleValues.asked()
        : singleValues.of(known, of, view, table, seen.selection(view));
  }

  /** Returns what an extension tells with the entries; null if nothing. */
  EntryControls.@Nullable Collector entryControls() {
    return entryControls;
  }

  /** Returns the sender of entries with values that are kept apart. */
  LargeEntrySender largeEntries() {
    LargeEntrySender known = largeEntries;
    if (known == null) {
      known = new LargeEntrySender(memory);
      largeEntries = known;
    }
    return known;
  }

  /**
   * Returns whether an entry with values that are kept apart was begun: its sender then has to see
   * the next entry, too.
   */
  boolean hasSentLarge() {
    return largeEntries != null;
  }

  /** Returns the cost of sending so far beside that of every entry, in tests of a filter. */
  public long sendingTests() {
    LargeEntrySender large = largeEntries;
    return singleValues.tests() + (large == null ? 0 : large.tests());
  }

  /** Goes on with the entry shown, if sending it was begun and it has not changed since. */
  public boolean goesOnSending(EntryView view) {
    boolean isSending = isSending(view);
    if (isSending) {
      seen.goOn(view);
    }
    return isSending;
  }

  /**
   * Returns whether sending the entry shown by a view was begun and the entry has not changed
   * since.
   */
  public boolean isSending(EntryView view) {
    LargeEntrySender large = largeEntries;
    EntryControls.Collector further = entryControls;
    return singleValues.isUnchanged(view)
        || large != null && large.isUnchanged(view)
        || told != null && told.isUnchanged(view)
        || groups != null && groups.isUnchanged(view)
        || further != null && further.isUnchanged(view);
  }

  /**
   * Gives back the memory of results that were not completely sent; called when the search has
   * ended.
   */
  public void ended() {
    singleValues.ended();
    kept = null;
    GroupNames left = groups;
    if (left != null) {
      left.ended();
    }
    LargeEntrySender large = largeEntries;
    if (large != null) {
      large.ended();
    }
    EntryControls.Collector further = entryControls;
    if (further != null) {
      further.ended();
    }
  }
}
