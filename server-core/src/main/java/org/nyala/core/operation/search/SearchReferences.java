package org.nyala.core.operation.search;

import java.util.List;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.message.Scope;
import org.nyala.core.session.ResponseSink;

/** The references that a search returns for referral objects (RFC 3296). Stateless. */
public final class SearchReferences {
  private SearchReferences() {}

  /**
   * Sends the reference of the referral object that the view of a thread shows, if it has URLs that
   * the client may read.
   *
   * @param searched the scope that is searched
   */
  public static void send(
      ResponseSink sink,
      AttributeTable table,
      OperationScratch scratch,
      SearchPlan plan,
      Scope searched) {
    List<String> urls = urls(table, scratch, plan, searched);
    if (!urls.isEmpty()) {
      sink.reference(urls);
    }
  }

  /**
   * Returns the URLs of the referral object that the view of a thread shows, of those that the
   * client may read. A single level goes on at the object itself, which the other server then only
   * shows.
   *
   * @param searched the scope that is searched
   */
  public static List<String> urls(
      AttributeTable table, OperationScratch scratch, SearchPlan plan, Scope searched) {
    Scope scope =
        switch (searched) {
          case BASE, ONE_LEVEL -> Scope.BASE;
          case SUBTREE, SUBORDINATE -> Scope.SUBTREE;
        };
    return plan.seen().references(scratch.view, table, scope);
  }
}
