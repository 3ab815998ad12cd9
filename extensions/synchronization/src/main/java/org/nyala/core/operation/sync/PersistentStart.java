package org.nyala.core.operation.sync;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.control.PersistentSearch;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.operation.search.SearchPlan;
import org.nyala.core.operation.search.SearchTerms;
import org.nyala.core.operation.search.SearchWalk;
import org.nyala.core.operation.search.SlicePace;
import org.nyala.core.operation.store.StoreSearch;
import org.nyala.core.session.Operation;

/**
 * A search that goes on with changes (draft-ietf-ldapext-psearch).
 *
 * <p>Confined to one running operation.
 */
final class PersistentStart extends StoreSearch {
  private final SearchTerms.Compiled asked;
  private final PersistentSearch wanted;
  private @Nullable PersistentSearchStage follower;

  PersistentStart(SearchTerms.Compiled asked, PersistentSearch wanted) {
    super(asked, new SlicePace(asked.directory().nanoClock()));
    this.asked = asked;
    this.wanted = wanted;
  }

  /** Joins the feed, and lets the writer of the store pass by first. */
  @Override
  protected Outcome prepare(Operation operation, SliceBudget budget) throws LdapOperationException {
    if (follower != null) {
      return super.prepare(operation, budget);
    }
    OperationContext directory = asked.directory();
    Backend backend = directory.backendOf(asked.base(), operation.identity());
    PersistentSearchStage joined =
        PersistentSearchStage.join(directory, wanted, backend, asked.base(), operation);
    follower = joined;
    directory.runtime().writers().submit(backend, joined.passage(operation));
    return Outcome.PARKED;
  }

  @Override
  protected Outcome begin(
      SearchPlan plan,
      Operation operation,
      ReadTransaction transaction,
      SliceBudget budget,
      Backend backend,
      Dn name,
      long id)
      throws LdapOperationException {
    PersistentSearchStage joined = follower;
    if (joined == null) {
      throw new IllegalStateException("the feed was not joined");
    }
    joined.aim(plan, backend, name);
    SearchWalk walk = new SearchWalk(plan, backend, id);
    goOn(joined);
    if (wanted.changesOnly()) {
      joined.begin();
      return Outcome.YIELDED;
    }
    joined.walkFirst(walk);
    return walk.slice(operation, transaction, budget);
  }

  @Override
  public void ended() {
    PersistentSearchStage joined = follower;
    if (joined != null) {
      joined.ended();
    }
    super.ended();
  }
}
