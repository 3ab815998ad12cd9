package org.nyala.replica;

import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.AsyncSearchResultListener;
import com.unboundid.ldap.sdk.IntermediateResponse;
import com.unboundid.ldap.sdk.IntermediateResponseListener;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultReference;
import org.nyala.error.ErrorMessages;

/**
 * Takes the messages of a provider from the thread that reads its connection, which waits while too
 * many have not been worked off: so TCP tells the provider to wait.
 *
 * <p>Thread-safe.
 */
@SuppressWarnings("serial")
final class SyncListener implements AsyncSearchResultListener, IntermediateResponseListener {
  private final transient MessageQueue queue;

  SyncListener(MessageQueue queue) {
    this.queue = queue;
  }

  @Override
  public void searchEntryReturned(SearchResultEntry entry) {
    try {
      queue.put(SyncMessages.of(entry));
    } catch (LDAPException | RuntimeException | Error e) {
      failed(e);
    }
  }

  @Override
  public void searchReferenceReturned(SearchResultReference reference) {
    queue.fail("the provider sends a reference, though ManageDsaIT was asked for");
  }

  @Override
  public void intermediateResponseReturned(IntermediateResponse response) {
    try {
      SyncMessages.of(response).ifPresent(queue::put);
    } catch (LDAPException | RuntimeException | Error e) {
      failed(e);
    }
  }

  @Override
  public void searchResultReceived(AsyncRequestID request, SearchResult result) {
    try {
      queue.end(SyncMessages.end(result));
    } catch (RuntimeException | Error e) {
      failed(e);
    }
  }

  /**
   * Ends the messages: those that come later must not be taken without the one that is lost, which
   * the SDK would pass over.
   */
  private void failed(Throwable e) {
    queue.fail(
        "the provider sends an answer that cannot be read: "
            + ErrorMessages.printable(ErrorMessages.line(e)));
  }
}
