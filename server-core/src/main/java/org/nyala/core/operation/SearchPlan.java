package org.nyala.core.operation;

import org.jspecify.annotations.Nullable;
import org.nyala.core.ServerLimits;
import org.nyala.core.backend.MemberCandidates;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.search.AttributeSelection;
import org.nyala.core.search.CompiledFilter;
import org.nyala.core.search.Membership;
import org.nyala.core.search.Scope;

/**
 * What does not change while a search goes on, once its base is found.
 *
 * <p>Confined to one running operation.
 */
final class SearchPlan {
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final Directory directory;
  private final Request.Search request;
  private final boolean asksReferences;
  private CompiledFilter filter;
  private final AttributeSelection selection;
  private final SearchControls controls;
  private final boolean computes;
  private final int sizeLimit;
  private final int lookThroughLimit;
  private final int sortLimit;
  private final int timeLimitSeconds;
  private final long startNanos;

  SearchPlan(
      Directory directory,
      Request.Search request,
      CompiledFilter filter,
      AttributeSelection selection,
      SearchControls controls,
      Operation operation) {
    this.directory = directory;
    this.request = request;
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
    this.sizeLimit = least(request.sizeLimit(), isRoot ? 0 : limits.sizeLimit());
    this.timeLimitSeconds =
        least(request.timeLimitSeconds(), isRoot ? 0 : limits.timeLimitSeconds());
    this.lookThroughLimit = isRoot ? 0 : limits.lookThroughLimit();
    this.sortLimit = isRoot ? 0 : limits.sorting().sortEntries();
    this.startNanos = operation.arrivalNanos();
  }

  private static boolean namesMemberOf(
      @Nullable Membership membership, AttributeSelection selection) {
    return membership != null && selection.names(AttributeDescription.of(membership.memberOf()));
  }

  /** The stricter of two limits, of which 0 is none. */
  private static int least(int one, int other) {
    if (one == 0 || other == 0) {
      return Math.max(one, other);
    }
    return Math.min(one, other);
  }

  Directory directory() {
    return directory;
  }

  Request.Search request() {
    return request;
  }

  CompiledFilter filter() {
    return filter;
  }

  /**
   * Lets the filter's tests of who refers to whom be candidates where that pays. Who is a member is
   * then as it was at this time, until the search ends.
   *
   * @param maximum how many members of a group to look up
   * @return whether that was enough
   */
  boolean resolveReferences(ReadTransaction transaction, int maximum) {
    if (!asksReferences || request.scope() == Scope.BASE || followsAliases()) {
      return true;
    }
    MemberCandidates candidates =
        new MemberCandidates(directory.references(transaction), directory.schema(), maximum);
    filter = candidates.resolve(filter);
    return !candidates.isCut();
  }

  /** Answers what the filter asks beyond an entry itself. */
  FilterProbe probe(ReadTransaction transaction) {
    return directory.probe(transaction);
  }

  AttributeSelection selection() {
    return selection;
  }

  boolean manageDsaIt() {
    return controls.manageDsaIt();
  }

  /** What the controls ask for. */
  SearchControls controls() {
    return controls;
  }

  /** Whether aliases below the base are followed. */
  boolean followsAliases() {
    return request.derefAliases().searching() && request.scope() != Scope.BASE;
  }

  /** Whether any attribute that no store holds was asked for. */
  boolean computes() {
    return computes;
  }

  /** Whether a computed attribute was asked for. */
  boolean selects(@Nullable AttributeType type) {
    return type != null && selection.selects(AttributeDescription.of(type));
  }

  /** Entries to send at most; 0 is no limit. */
  int sizeLimit() {
    return sizeLimit;
  }

  /** Entries to sort at most; 0 is no limit. */
  int sortLimit() {
    return sortLimit;
  }

  /** Candidates to examine at most; 0 is no limit. */
  int lookThroughLimit() {
    return lookThroughLimit;
  }

  private boolean isTimeUp(long nowNanos) {
    return timeLimitSeconds > 0 && nowNanos - startNanos > timeLimitSeconds * NANOS_PER_SECOND;
  }

  /**
   * Ends the search when it may not go on at this time.
   *
   * @throws LdapOperationException timeLimitExceeded
   */
  void checkTime(long nowNanos) throws LdapOperationException {
    if (isTimeUp(nowNanos)) {
      throw new LdapOperationException(LdapResult.of(ResultCode.TIME_LIMIT_EXCEEDED));
    }
  }

  /** What a store's cursor is to look for below one base. */
  SearchSpec spec(long baseId, Scope scope) {
    return new SearchSpec(baseId, scope, filter, !manageDsaIt(), followsAliases());
  }
}
