package org.nyala.core.operation.search;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.SteppedCharge;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.StoredEntryFacts;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryTest;
import org.nyala.core.filter.Membership;
import org.nyala.core.integrity.MemberCandidates;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.Scope;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.session.Operation;
import org.nyala.core.session.TimeLimit;

/**
 * What does not change while a search goes on, once its base is found.
 *
 * <p>Confined to one running operation.
 */
public final class SearchPlan {
  /** Members of a group that are looked up at all; of larger groups every candidate is tested. */
  private static final int MEMBERS = 1 << 16;

  private final OperationContext directory;
  private final Request.Search request;
  private final boolean asksReferences;
  private final CompiledFilter asked;
  private CompiledFilter filter;
  private final AttributeSelection selection;
  private final SearchControls controls;
  private final boolean computes;
  private final int sizeLimit;
  private final int lookThroughLimit;
  private final int sortLimit;
  private final TimeLimit timeLimit;
  private final SlicePace pace;
  private final MemoryAccount memory;
  private @Nullable EntryTest test;
  private @Nullable MemberCandidates candidates;
  private @Nullable SteppedCharge charge;

  public SearchPlan(
      OperationContext directory,
      Request.Search request,
      CompiledFilter filter,
      AttributeSelection selection,
      SearchControls controls,
      Operation operation) {
    this.directory = directory;
    this.request = request;
    this.asked = filter;
    this.filter = filter;
    this.selection = selection;
    this.controls = controls;
    this.computes =
        selects(directory.computed().entryDn())
            || selects(directory.computed().hasSubordinates())
            || selects(directory.computed().numSubordinates())
            || selects(directory.computed().subschemaSubentry())
            || selects(directory.computed().entryTtl())
            || selects(directory.computed().governingStructureRule())
            || namesMemberOf(directory.membership(), selection);
    this.asksReferences = directory.membership() != null && MemberCandidates.isUseful(filter);
    ServerLimits limits = directory.limits();
    boolean isRoot = operation.identity().isRoot();
    this.sizeLimit = TimeLimit.least(request.sizeLimit(), isRoot ? 0 : limits.sizeLimit());
    this.timeLimit = TimeLimit.of(directory.limits(), operation, request.timeLimitSeconds());
    this.pace = new SlicePace(directory);
    this.memory = operation.session().memory();
    this.lookThroughLimit = isRoot ? 0 : limits.lookThroughLimit();
    this.sortLimit = isRoot ? 0 : limits.sorting().sortEntries();
  }

  private static boolean namesMemberOf(
      @Nullable Membership membership, AttributeSelection selection) {
    return membership != null && selection.names(AttributeDescription.of(membership.memberOf()));
  }

  public OperationContext directory() {
    return directory;
  }

  public Request.Search request() {
    return request;
  }

  CompiledFilter filter() {
    return filter;
  }

  /** The test of one entry after the other; once the references are resolved. */
  public EntryTest test() {
    EntryTest known = test;
    if (known == null) {
      known = new EntryTest(filter);
      test = known;
    }
    return known;
  }

  /**
   * The test of an entry that has changed, by who refers to whom when it is made. To a deleted one
   * nothing may refer any longer: those that were there at first are known, unless they were not
   * looked up, as {@link #resolveReferences} tells.
   *
   * @param going the one of the change before or of the slice before; null for none
   */
  EntryTest testOfChange(@Nullable EntryTest going, boolean isDeleted) {
    if (going != null && going.isSuspended()) {
      return going;
    }
    return asksReferences && !isDeleted ? new EntryTest(asked) : test();
  }

  /** The end of the slice at hand, which every stage says at its begin. */
  public SlicePace pace() {
    return pace;
  }

  /**
   * Lets the filter's tests of who refers to whom be candidates where that pays. Who is a member is
   * then as it was at this time, until the search ends. Where the ids take more memory than there
   * is for the client, every candidate is tested.
   *
   * @return false where the slice is over before
   */
  public boolean resolveReferences(ReadTransaction transaction) {
    if (!asksReferences || request.scope() == Scope.BASE || followsAliases()) {
      return true;
    }
    MemberCandidates looking = candidates;
    if (looking == null) {
      looking = new MemberCandidates(filter, directory.schema(), MEMBERS);
      candidates = looking;
      charge = new SteppedCharge(memory);
    }
    CompiledFilter resolved = looking.resolve(directory.references(transaction), pace);
    SteppedCharge held = charge;
    if (held != null && !held.tryHold(looking.memory())) {
      held.giveBack();
      candidates = null;
      return true;
    }
    if (resolved == null) {
      return false;
    }
    filter = resolved;
    candidates = null;
    return true;
  }

  /** Gives back what the ids hold that the references were resolved to; when nobody asks more. */
  public void release() {
    SteppedCharge held = charge;
    if (held != null) {
      held.giveBack();
    }
  }

  /** The account of the connection that searches. */
  public MemoryAccount memory() {
    return memory;
  }

  /** Whether the filter asks who refers to whom. */
  public boolean asksReferences() {
    return asksReferences;
  }

  /** Answers what the filter asks beyond an entry itself. */
  public StoredEntryFacts probe(ReadTransaction transaction) {
    return directory.probe(transaction);
  }

  public AttributeSelection selection() {
    return selection;
  }

  public boolean manageDsaIt() {
    return controls.manageDsaIt();
  }

  /** What the controls ask for. */
  public SearchControls controls() {
    return controls;
  }

  /** Whether aliases below the base are followed. */
  public boolean followsAliases() {
    return request.derefAliases().searching() && request.scope() != Scope.BASE;
  }

  /** Whether any attribute that no store holds was asked for. */
  public boolean computes() {
    return computes;
  }

  /** Whether a computed attribute was asked for. */
  boolean selects(@Nullable AttributeType type) {
    return type != null && selection.selects(AttributeDescription.of(type));
  }

  /** Entries to send at most; 0 is no limit. */
  public int sizeLimit() {
    return sizeLimit;
  }

  /** Entries to sort at most; 0 is no limit. */
  public int sortLimit() {
    return sortLimit;
  }

  /** Candidates to examine at most; 0 is no limit. */
  int lookThroughLimit() {
    return lookThroughLimit;
  }

  /**
   * Ends the search when it may not go on at this time.
   *
   * @throws LdapOperationException timeLimitExceeded
   */
  public void checkTime(long nowNanos) throws LdapOperationException {
    timeLimit.check(nowNanos);
  }

  /** What a store's cursor is to look for below one base. */
  public SearchSpec spec(long baseId, Scope scope) {
    return new SearchSpec(baseId, scope, filter, !manageDsaIt(), followsAliases(), memory);
  }

  /** Gives back what is held for what was not sent to its end; when the search has ended. */
  public void ended() {
    MatchedValues matched = controls.matchedValues();
    if (matched != null) {
      matched.ended();
    }
  }
}
