package org.nyala.sync;

import static org.nyala.core.Patience.eventually;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.AsyncSearchResultListener;
import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.IntermediateResponse;
import com.unboundid.ldap.sdk.IntermediateResponseListener;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPResult;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestMode;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A client that follows the log of modifications with the request of OpenLDAP's consumer. */
@SuppressWarnings("serial")
final class LogFollower implements AsyncSearchResultListener, IntermediateResponseListener {
  static final String BASE = "cn=accesslog";
  static final String FILTER = "(&(objectClass=auditWriteObject)(reqResult=0))";

  final List<SearchResultEntry> entries = new CopyOnWriteArrayList<>();
  volatile LDAPResult result;
  private volatile boolean isRefreshed;

  /**
   * Begins to follow after a cookie, and waits until it has all changes before: later ones are made
   * after the server has found its place in the log.
   */
  static LogFollower after(LDAPConnection connection, String base, String cookie)
      throws LDAPException {
    LogFollower follower = new LogFollower();
    SearchRequest request = request(follower, base, FILTER, cookie);
    request.setIntermediateResponseListener(follower);
    AsyncRequestID _ = connection.asyncSearch(request);
    eventually("it follows", () -> follower.isRefreshed || follower.result != null);
    return follower;
  }

  /** Returns the request of a client that polls. */
  static SearchRequest request(String base, String cookie) throws LDAPException {
    return request(null, base, FILTER, cookie);
  }

  /**
   * Returns a request.
   *
   * @param follower told of what the client follows; null if it polls
   */
  static SearchRequest request(
      AsyncSearchResultListener follower, String base, String filter, String cookie)
      throws LDAPException {
    SearchRequest request =
        new SearchRequest(
            follower,
            base,
            SearchScope.SUB,
            DereferencePolicy.NEVER,
            0,
            0,
            false,
            filter,
            "reqDN",
            "reqType",
            "reqMod",
            "reqNewRDN",
            "reqDeleteOldRDN",
            "reqNewSuperior",
            "reqControls",
            "entryCSN");
    request.addControl(
        new ContentSyncRequestControl(
            follower == null
                ? ContentSyncRequestMode.REFRESH_ONLY
                : ContentSyncRequestMode.REFRESH_AND_PERSIST,
            cookie == null ? null : new ASN1OctetString(cookie),
            false));
    request.addControl(new ManageDsaITRequestControl(true));
    return request;
  }

  /** Returns the length of what it was told, as values. */
  long bytes() {
    return entries.stream()
        .flatMap(entry -> entry.getAttributes().stream())
        .mapToLong(attribute -> attribute.encode().encode().length)
        .sum();
  }

  /** Returns whether it was told of a modification. */
  boolean hasSeen(String modification) {
    return entries.stream().anyMatch(entry -> entry.hasAttributeValue("reqMod", modification));
  }

  @Override
  public void searchEntryReturned(SearchResultEntry entry) {
    entries.add(entry);
  }

  @Override
  public void searchReferenceReturned(SearchResultReference reference) {}

  @Override
  public void intermediateResponseReturned(IntermediateResponse response) {
    isRefreshed = true;
  }

  @Override
  public void searchResultReceived(AsyncRequestID id, SearchResult searchResult) {
    result = searchResult;
  }
}
