package org.nyala.server;

import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.AsyncSearchResultListener;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultReference;

/** Discards the answers to a search. */
public final class NoResults implements AsyncSearchResultListener {
  private static final long serialVersionUID = 1;

  @Override
  public void searchEntryReturned(SearchResultEntry entry) {}

  @Override
  public void searchReferenceReturned(SearchResultReference reference) {}

  @Override
  public void searchResultReceived(AsyncRequestID request, SearchResult result) {}
}
