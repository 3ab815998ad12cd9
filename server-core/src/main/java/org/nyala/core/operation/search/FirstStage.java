package org.nyala.core.operation.search;

import org.jspecify.annotations.Nullable;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.session.Operation;
import org.nyala.extension.SearchStage;

/** A stage that finds what it needs, and goes on with another one. */
public abstract class FirstStage implements SearchStage {
  private @Nullable SearchStage next;

  /**
   * Prepares the next stage, as far as the slice goes.
   *
   * @throws LdapOperationException to end the search with an error result
   */
  protected abstract Outcome prepare(Operation operation, SliceBudget budget)
      throws LdapOperationException;

  /** Has another stage run the further slices. */
  protected final <T extends SearchStage> T goOn(T with) {
    next = with;
    return with;
  }

  @Override
  public final Outcome slice(Operation operation, SliceBudget budget)
      throws LdapOperationException {
    SearchStage prepared = next;
    return prepared == null ? prepare(operation, budget) : prepared.slice(operation, budget);
  }

  @Override
  public final boolean isReady() {
    SearchStage prepared = next;
    return prepared == null || prepared.isReady();
  }

  @Override
  public void ended() {
    SearchStage prepared = next;
    if (prepared != null) {
      prepared.ended();
    }
  }
}
