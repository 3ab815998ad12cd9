package org.nyala.core.operation.search;

import java.util.List;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.RequestControls;
import org.nyala.core.directory.ClientView;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.SearchExplainers;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.Operation;
import org.nyala.extension.SearchStage;

/**
 * A search of which root wants to know how it is carried out, and gets that in the place of
 * entries.
 */
public final class ExplainedSearch implements SearchStage {
  /** The seconds that it may take by default, and at most. */
  private static final int DEFAULT_SECONDS = 10;

  private static final int MOST_SECONDS = 600;

  /** The controls that would need an explanation of their own. */
  private static final List<ControlType> OTHERS =
      List.of(
          ControlType.PAGED_RESULTS,
          ControlType.SORT,
          ControlType.VIRTUAL_LIST_VIEW,
          ControlType.PERSISTENT_SEARCH);

  private final SearchTerms.Compiled asked;

  public ExplainedSearch(SearchTerms.Compiled asked) {
    this.asked = asked;
  }

  /**
   * Returns whether a search is to be explained; false if the control is not allowed for this
   * client and not critical.
   *
   * @throws LdapOperationException if it is critical and cannot be honoured
   */
  public static boolean isWanted(Operation operation, RequestControls controls)
      throws LdapOperationException {
    if (!controls.has(ControlType.EXPLAIN)) {
      return false;
    }
    boolean isCritical = controls.isCritical(ControlType.EXPLAIN);
    if (!operation.identity().isRootOfAll()) {
      if (isCritical) {
        throw new LdapOperationException(
            ResultCode.INSUFFICIENT_ACCESS_RIGHTS,
            "only root may request explanations of searches");
      }
      return false;
    }
    for (int i = 0; i < OTHERS.size(); i++) {
      if (controls.has(OTHERS.get(i))) {
        throw new LdapOperationException(
            ResultCode.UNWILLING_TO_PERFORM,
            "pages, orders and persistent searches are not explained");
      }
    }
    return true;
  }

  @Override
  public boolean isInOrderOfStore() {
    return true;
  }

  /** Starts the explanation; the explainer ends the operation. */
  @Override
  public Outcome slice(Operation operation, SliceBudget budget) throws LdapOperationException {
    OperationContext directory = asked.directory();
    Request.Search request = asked.request();
    Dn base = asked.base();
    SearchExplainers explainers = directory.runtime().explainers();
    if (explainers == null) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, "this server does not explain searches");
    }
    if (directory.virtualEntries().isInTree(base) || directory.virtualEntries().at(base) != null) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, "the server's own entries are in no store");
    }
    Backend backend = directory.backendOf(base, operation.identity());
    try (ReadTransaction transaction = backend.beginRead()) {
      long _ = ClientView.ofServer(directory, transaction, true).find(base);
    }
    int seconds = request.timeLimitSeconds();
    boolean isTaken =
        explainers.explain(
            new SearchExplainers.Question(
                backend,
                base,
                request.scope(),
                request.filter(),
                asked.filter(),
                seconds == 0 ? DEFAULT_SECONDS : Math.min(seconds, MOST_SECONDS),
                () -> !operation.isAbandoned(),
                operation::finish));
    if (!isTaken) {
      throw new LdapOperationException(
          ResultCode.BUSY, "too many explanations of searches were requested");
    }
    return Outcome.PARKED;
  }
}
