package org.nyala.server;

import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.AsyncSearchResultListener;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultReference;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The entries that a search without an end has received. Thread-safe. */
@SuppressWarnings("serial") // An interface of the library makes it serializable.
final class Followed implements AsyncSearchResultListener {
  final List<SearchResultEntry> entries = new CopyOnWriteArrayList<>();

  @Override
  public void searchEntryReturned(SearchResultEntry entry) {
    entries.add(entry);
  }

  @Override
  public void searchReferenceReturned(SearchResultReference reference) {
    throw new AssertionError("there are no references");
  }

  @Override
  public void searchResultReceived(AsyncRequestID id, SearchResult result) {
    // The request's identifier tells that.
  }
}
