package org.nyala.core.operation;

import org.jspecify.annotations.Nullable;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.operation.search.SearchTerms;
import org.nyala.core.operation.search.SlicePace;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.core.session.TimeLimit;
import org.nyala.extension.EntryControls;
import org.nyala.extension.SearchStage;

/**
 * A search (RFC 4511, section 4.5): compiles its terms, then runs the stage that is {@linkplain
 * SearchChoice chosen} by them.
 *
 * <p>Confined to one running operation. Hot.
 */
public final class SearchOperation implements OperationBody {
  private final OperationContext directory;
  private final Request.Search request;
  private final SlicePace pace;
  private final boolean isEndless;
  private @Nullable SearchTerms terms;
  private SearchTerms.@Nullable Compiled compiled;
  private @Nullable SearchStage stage;
  private boolean mayTakeLong;

  SearchOperation(OperationContext directory, Request.Search request) {
    this.directory = directory;
    this.request = request;
    this.pace = new SlicePace(directory.nanoClock());
    this.isEndless =
        !request.controls().isEmpty()
            && request.controls().stream().anyMatch(directory.hooks()::isEndless);
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    SearchStage started = stage;
    if (started == null) {
      SearchTerms.Compiled asked = compile(operation, budget);
      if (asked == null) {
        return Outcome.YIELDED;
      }
      compiled = asked;
      operation.searchBelow(asked.base().rdnCount());
      started = SearchChoice.stage(asked, operation, pace);
      stage = started;
      EntryControls.Wanted told = asked.controls().entryControls();
      if (told != null) {
        told.requireFit(started.isInOrderOfStore());
      }
    }
    return started.slice(operation, budget);
  }

  @Override
  public boolean isReady() {
    SearchStage started = stage;
    return started == null || started.isReady();
  }

  @Override
  public boolean isEndless() {
    return isEndless;
  }

  @Override
  public void ended() {
    SearchStage started = stage;
    if (started != null) {
      started.ended();
    }
    SearchTerms.Compiled asked = compiled;
    SearchTerms unfinished = terms;
    if (asked != null) {
      asked.release();
    } else if (unfinished != null) {
      unfinished.release();
    }
  }

  /**
   * Compiles the terms of the request; null if the slice is over, or another thread should do so.
   */
  private SearchTerms.@Nullable Compiled compile(Operation operation, SliceBudget budget)
      throws LdapOperationException {
    SearchTerms asked = terms;
    if (asked == null) {
      asked =
          new SearchTerms(
              directory,
              request,
              operation.controls(),
              operation.session().memory(),
              operation.isByRootSafely(),
              EntryRights.of(directory.control(), operation.rules()));
      terms = asked;
    } else {
      TimeLimit.of(directory.limits(), operation, request.timeLimitSeconds())
          .check(directory.nanoTime());
    }
    if (asked.isLong() && !mayTakeLong) {
      mayTakeLong = true;
      return null;
    }
    SearchTerms.Compiled whole =
        asked.compile(asked.isLong() ? pace.begin(operation, budget) : pace);
    terms = whole == null ? asked : null;
    return whole;
  }
}
