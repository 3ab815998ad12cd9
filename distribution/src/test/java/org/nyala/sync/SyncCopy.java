package org.nyala.sync;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.AsyncSearchResultListener;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.IntermediateResponse;
import com.unboundid.ldap.sdk.IntermediateResponseListener;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPResult;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ContentSyncDoneControl;
import com.unboundid.ldap.sdk.controls.ContentSyncInfoIntermediateResponse;
import com.unboundid.ldap.sdk.controls.ContentSyncInfoType;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestMode;
import com.unboundid.ldap.sdk.controls.ContentSyncState;
import com.unboundid.ldap.sdk.controls.ContentSyncStateControl;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.SyncCookie;

/**
 * A copy of some content, kept by the rules of RFC 4533 and no others, and strict about those that
 * OpenLDAP's consumer adds: where cookies are, and that their numbers rise.
 *
 * <p>Thread-safe: one session at a time changes it.
 */
final class SyncCopy {
  private static final Set<String> COMPUTED =
      Set.of(
          "entrydn",
          "hassubordinates",
          "numsubordinates",
          "subschemasubentry",
          "contextcsn",
          "pwdpolicysubentry",
          "governingstructurerule");
  private static final long PAUSE_MILLIS = 20;

  /** The content that is copied. */
  record Content(String base, SearchScope scope, String filter) {
    SearchRequest request() throws LDAPException {
      return new SearchRequest(base, scope, DereferencePolicy.NEVER, 0, 0, false, filter, "*", "+");
    }
  }

  /** An entry of the copy. */
  record Held(DN name, Map<String, Set<String>> attributes) {
    String csn() {
      return attributes.getOrDefault("entrycsn", Set.of("")).iterator().next();
    }
  }

  /** The copy at one moment. */
  record State(Map<UUID, Held> entries, @Nullable String cookie) {}

  private final Content content;
  private final Map<UUID, Held> entries = new LinkedHashMap<>();
  private final Set<UUID> present = new HashSet<>();
  private final List<String> faults = new ArrayList<>();
  private @Nullable String cookie;
  private CsnVector reached = CsnVector.EMPTY;
  private @Nullable Listener current;
  private boolean isPersistent;
  private boolean isRefreshed;
  private int presentPhases;
  private int deletePhases;
  private int received;

  SyncCopy(Content content) {
    this.content = content;
  }

  Content content() {
    return content;
  }

  /** Returns the entries by their normalized names. */
  Map<String, Held> byName() {
    Map<String, Held> found = new TreeMap<>();
    state().entries().values().forEach(each -> found.put(each.name().toNormalizedString(), each));
    return found;
  }

  /** Returns the entries of some content at a server by their normalized names. */
  static Map<String, Held> byName(LDAPConnection client, Content content) throws LDAPException {
    Map<String, Held> found = new TreeMap<>();
    for (SearchResultEntry entry : client.search(content.request()).getSearchEntries()) {
      found.put(entry.getParsedDN().toNormalizedString(), held(entry));
    }
    return found;
  }

  synchronized State state() {
    return new State(new LinkedHashMap<>(entries), cookie);
  }

  /** Goes back to an earlier state, as if restored from a backup. */
  synchronized void restore(State state) {
    entries.clear();
    entries.putAll(state.entries());
    cookie = state.cookie();
  }

  synchronized void forget() {
    restore(new State(Map.of(), null));
  }

  synchronized List<String> faults() {
    return List.copyOf(faults);
  }

  /** Returns the number of present phases that refreshed a copy which had a cookie. */
  synchronized int presentPhases() {
    return presentPhases;
  }

  synchronized int deletePhases() {
    return deletePhases;
  }

  /** Returns the number of entries received in the last session. */
  synchronized int received() {
    return received;
  }

  synchronized boolean isRefreshed() {
    return isRefreshed;
  }

  /** Returns whether the copy has all changes of a server. */
  synchronized boolean covers(CsnVector csns) {
    return isRefreshed && reached.covers(csns);
  }

  /** Runs a session until it ends; a persistent one ends with its connection. */
  LDAPResult run(LDAPConnection connection, boolean persistent) throws LDAPException {
    Listener listener = new Listener();
    SearchRequest request =
        new SearchRequest(
            listener,
            content.base(),
            content.scope(),
            DereferencePolicy.NEVER,
            0,
            0,
            false,
            content.request().getFilter(),
            "*",
            "+");
    String known;
    synchronized (this) {
      current = listener;
      known = cookie;
      isPersistent = persistent;
      isRefreshed = false;
      reached = CsnVector.EMPTY;
      received = 0;
      present.clear();
    }
    request.setControls(
        new Control[] {
          new ManageDsaITRequestControl(true),
          new ContentSyncRequestControl(
              true,
              persistent
                  ? ContentSyncRequestMode.REFRESH_AND_PERSIST
                  : ContentSyncRequestMode.REFRESH_ONLY,
              known == null ? null : new ASN1OctetString(known),
              false)
        });
    request.setIntermediateResponseListener(listener);
    request.setResponseTimeoutMillis(0);
    AsyncRequestID id = connection.asyncSearch(request);
    LDAPResult result = listener.await(connection, id);
    finish(result);
    return result;
  }

  /** Passes on what one session receives, until it has ended. */
  @SuppressWarnings("serial")
  private final class Listener implements AsyncSearchResultListener, IntermediateResponseListener {
    private final LinkedBlockingQueue<LDAPResult> results = new LinkedBlockingQueue<>();

    LDAPResult await(LDAPConnection connection, AsyncRequestID id) {
      try {
        LDAPResult result = results.poll(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        while (result == null && connection.isConnected() && !id.isCancelled()) {
          result = results.poll(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        }
        result = result == null ? results.poll() : result;
        return result == null ? new LDAPResult(-1, ResultCode.SERVER_DOWN) : result;
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void searchEntryReturned(SearchResultEntry entry) {
      receive(this, () -> entryReturned(entry));
    }

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {
      receive(this, () -> faults.add("a reference: " + reference));
    }

    @Override
    public void intermediateResponseReturned(IntermediateResponse response) {
      receive(this, () -> infoReturned(response));
    }

    @Override
    public void searchResultReceived(AsyncRequestID request, SearchResult result) {
      results.add(result);
    }
  }

  private synchronized void receive(Listener from, Runnable event) {
    if (from == current) {
      event.run();
    }
  }

  private synchronized void finish(LDAPResult result) throws LDAPException {
    current = null;
    ContentSyncDoneControl done = ContentSyncDoneControl.get(result);
    int code = result.getResultCode().intValue();
    if (code == 4096) {
      if (done == null || done.getCookie() == null) {
        forget();
      } else {
        take(done.getCookie().stringValue());
      }
    } else if (code == 0) {
      require(done != null && done.getCookie() != null, "success without a cookie");
      if (done != null && done.getCookie() != null) {
        endPhase(done.refreshDeletes());
        take(done.getCookie().stringValue());
        isRefreshed = true;
      }
    }
  }

  private void require(boolean condition, String fault) {
    if (!condition) {
      faults.add(fault);
    }
  }

  private void take(String text) {
    cookie = text;
    SyncCookie parsed = SyncCookie.parse(text);
    require(parsed != null, "not a cookie: " + text);
    reached = parsed == null ? reached : reached.with(parsed.csns());
  }

  /** Takes the number of one change, which must be after those before it. */
  private void takeOne(ASN1OctetString value) {
    SyncCookie parsed = SyncCookie.parse(value.stringValue());
    require(parsed != null && parsed.csns().csns().size() == 1, "one number: " + value);
    if (parsed != null) {
      for (Csn csn : parsed.csns().csns()) {
        require(!reached.covers(csn), csn + " is not after " + reached);
      }
      reached = reached.with(parsed.csns());
      cookie = new SyncCookie(0, SyncCookie.NO_SERVER, reached).toString();
    }
  }

  private void endPhase(boolean isDelete) {
    if (isDelete) {
      deletePhases++;
    } else {
      presentPhases += cookie == null ? 0 : 1;
      entries.keySet().retainAll(present);
    }
  }

  private void entryReturned(SearchResultEntry entry) {
    try {
      ContentSyncStateControl state = ContentSyncStateControl.get(entry);
      received++;
      require(state != null && entry.getControls().length == 1, "one control with " + entry);
      if (state != null) {
        require(!entry.getDN().isEmpty(), "a name with " + state);
        require(isRefreshed == (state.getCookie() != null), "cookie with " + state);
        take(entry, state);
        if (isRefreshed) {
          takeOne(state.getCookie());
        }
      }
    } catch (LDAPException | RuntimeException e) {
      faults.add(e.toString());
    }
  }

  private void take(SearchResultEntry entry, ContentSyncStateControl control) throws LDAPException {
    UUID uuid = control.getEntryUUID();
    if (control.getState() == ContentSyncState.DELETE) {
      require(isRefreshed && entry.getAttributes().isEmpty(), "delete " + entry);
      entries.remove(uuid);
      return;
    }
    require(
        isRefreshed || control.getState() == ContentSyncState.ADD,
        control + " in the refresh stage");
    present.add(uuid);
    Held held = held(entry);
    Held before = entries.get(uuid);
    // As OpenLDAP does: the scan may have shown a later state already.
    if (before == null || before.csn().compareTo(held.csn()) <= 0) {
      put(uuid, held);
    }
  }

  /** Puts an entry; a new name of an entry is one of those below it, too. */
  private void put(UUID uuid, Held held) throws LDAPException {
    Held before = entries.get(uuid);
    for (Map.Entry<UUID, Held> each : new ArrayList<>(entries.entrySet())) {
      DN name = each.getValue().name();
      boolean isOther = !each.getKey().equals(uuid);
      if (isOther && name.equals(held.name())) {
        // In a scan the one that had the name may come later, or be gone.
        require(!isRefreshed, "two entries named " + name);
        entries.remove(each.getKey());
      } else if (isOther
          && before != null
          && !before.name().equals(held.name())
          && name.isDescendantOf(before.name(), false)) {
        String moved =
            name.toString()
                    .substring(0, name.toString().length() - before.name().toString().length())
                + held.name();
        entries.put(each.getKey(), new Held(new DN(moved), each.getValue().attributes()));
      }
    }
    entries.put(uuid, held);
  }

  static Held held(SearchResultEntry entry) throws LDAPException {
    Map<String, Set<String>> attributes = new TreeMap<>();
    for (Attribute attribute : entry.getAttributes()) {
      String name = attribute.getName().toLowerCase(Locale.ROOT);
      if (!COMPUTED.contains(name)) {
        attributes.put(name, new TreeSet<>(List.of(attribute.getValues())));
      }
    }
    return new Held(entry.getParsedDN(), attributes);
  }

  private void infoReturned(IntermediateResponse response) {
    try {
      ContentSyncInfoIntermediateResponse info =
          ContentSyncInfoIntermediateResponse.decode(response);
      switch (info.getType()) {
        case NEW_COOKIE -> {
          require(isRefreshed, "newcookie in the refresh stage");
          takeOne(info.getCookie());
        }
        case REFRESH_DELETE, REFRESH_PRESENT -> endStage(info);
        case SYNC_ID_SET -> takeSet(info);
        default -> faults.add(info.toString());
      }
    } catch (LDAPException | RuntimeException e) {
      faults.add(e.toString());
    }
  }

  private void endStage(ContentSyncInfoIntermediateResponse info) {
    require(!isRefreshed, "the refresh stage ends twice");
    require(isPersistent, info + " in refreshOnly");
    endPhase(info.getType() == ContentSyncInfoType.REFRESH_DELETE);
    take(info.getCookie().stringValue());
    isRefreshed = info.refreshDone();
  }

  private void takeSet(ContentSyncInfoIntermediateResponse info) {
    require(!isRefreshed, "a set in the persist stage");
    if (info.refreshDeletes()) {
      require(info.getCookie() != null, "deletions without a cookie");
      entries.keySet().removeAll(info.getEntryUUIDs());
      present.removeAll(info.getEntryUUIDs());
      return;
    }
    for (UUID uuid : info.getEntryUUIDs()) {
      require(entries.containsKey(uuid), "unchanged, and not there: " + uuid);
      present.add(uuid);
    }
  }
}
