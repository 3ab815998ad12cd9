package org.nyala.core.operation.search;

import org.nyala.core.control.PagedResults;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.rights.Limit;
import org.nyala.core.session.Operation;
import org.nyala.core.session.TimeLimit;

/**
 * The bounds of one search: the server's, those of its client by access rules, and those that it
 * asks for. 0 is no limit.
 *
 * <p>Immutable.
 *
 * @param entries the entries to send, in all pages together
 * @param lookThrough the candidates to examine
 * @param sorted the entries to sort
 * @param page the entries of one page
 * @param time the time of its end
 */
public record SearchBounds(int entries, int lookThrough, int sorted, int page, TimeLimit time) {
  /**
   * Returns the bounds of a search; root has only those that it asks for. The operation is notified
   * of its end.
   *
   * @throws LdapOperationException protocolError if the request for pages is none
   */
  static SearchBounds of(ServerLimits limits, Request.Search request, Operation operation)
      throws LdapOperationException {
    boolean isRoot = operation.identity().isRoot();
    int entries = isRoot ? 0 : limits.searches().sizeLimit();
    int allowed = operation.limit(Limit.Bound.ENTRIES, entries);
    if (PagedResults.of(operation.controls(), request.sizeLimit()) != null) {
      // Cookies count the entries of all pages.
      allowed = operation.limit(Limit.Bound.PAGED_ENTRIES, allowed);
    }
    int candidates = isRoot ? 0 : limits.searches().lookThroughLimit();
    return new SearchBounds(
        TimeLimit.least(request.sizeLimit(), allowed),
        operation.limit(Limit.Bound.LOOK_THROUGH, candidates),
        isRoot ? 0 : limits.sorting().sortEntries(),
        operation.limit(Limit.Bound.PAGE_SIZE, 0),
        TimeLimit.of(limits, operation, request.timeLimitSeconds()));
  }

  /** Returns the entries of a page, of which a client wants a number. */
  public int pageOf(int wanted) {
    return TimeLimit.least(wanted, page);
  }
}
