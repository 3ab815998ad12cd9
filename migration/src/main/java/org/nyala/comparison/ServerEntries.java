package org.nyala.comparison;

import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultListener;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import com.unboundid.ldap.sdk.controls.RFC3672SubentriesRequestControl;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.nyala.replica.ProviderConnection;

/**
 * The searches for all entries and all subentries (RFC 3672) below a name, which are passed on as
 * they arrive.
 *
 * <p>Confined to one thread.
 */
final class ServerEntries {
  private final String base;
  private final int idleSeconds;

  /** The names of subentries among the entries, by digests: some servers show them there too. */
  private final Set<UUID> subentries = new HashSet<>();

  private boolean hasShown;
  private boolean hidesSubentries;
  private long references;

  /**
   * Prepares for readings.
   *
   * @param idleSeconds the longest time without an entry or a result; 0 for no bound
   */
  ServerEntries(String base, int idleSeconds) {
    this.base = base;
    this.idleSeconds = idleSeconds;
  }

  /**
   * Reads the entries to the last one, then the subentries if the server shows them.
   *
   * @throws LDAPException if the server shows none, refuses some of them, stops answering or ends
   */
  void read(ProviderConnection connection, Consumer<SearchResultEntry> reader, String... attributes)
      throws LDAPException {
    hasShown = false;
    references = 0;
    hidesSubentries = false;
    subentries.clear();
    search(
        connection,
        entry -> {
          if (entry.hasObjectClass("subentry") || entry.hasObjectClass("ldapSubentry")) {
            subentries.add(ComparedEntry.key(entry.getDN()));
          }
          reader.accept(entry);
        },
        attributes);
    try {
      search(
          connection,
          entry -> {
            if (!subentries.contains(ComparedEntry.key(entry.getDN()))) {
              reader.accept(entry);
            }
          },
          attributes,
          new RFC3672SubentriesRequestControl(true, true));
    } catch (LDAPException e) {
      if (!e.getResultCode().equals(ResultCode.UNAVAILABLE_CRITICAL_EXTENSION)) {
        throw e;
      }
      hidesSubentries = true;
    }
    if (!hasShown) {
      throw new LDAPException(
          ResultCode.NO_RESULTS_RETURNED, "shows no entry at or below " + base + " (no rights?)");
    }
  }

  private void search(
      ProviderConnection connection,
      Consumer<SearchResultEntry> reader,
      String[] attributes,
      Control... controls)
      throws LDAPException {
    SearchRequest request =
        new SearchRequest(
            new Listener(reader),
            base,
            SearchScope.SUB,
            Filter.createPresenceFilter("objectClass"),
            attributes);
    request.addControl(new ManageDsaITRequestControl(true));
    request.addControls(controls);
    // The SDK takes it for the time until the next message.
    request.setResponseTimeoutMillis(TimeUnit.SECONDS.toMillis(idleSeconds));
    try {
      connection.connection().search(request);
    } catch (LDAPException e) {
      if (e.getResultCode().equals(ResultCode.TIMEOUT)) {
        throw new LDAPException(
            ResultCode.TIMEOUT, "no answer for " + idleSeconds + " seconds (--idle-seconds)", e);
      }
      throw e;
    }
  }

  /** Returns whether the server did not know subentries when it was read last. */
  boolean hidesSubentries() {
    return hidesSubentries;
  }

  /** Returns the parts that the last reading did not get, in words. */
  List<String> omissions(String label) {
    List<String> all = new ArrayList<>();
    if (hidesSubentries) {
      all.add(label + " does not show subentries: they are not compared");
    }
    if (references > 0) {
      all.add(
          label
              + " refers to other servers "
              + references
              + " times: those parts are not compared");
    }
    return all;
  }

  @SuppressWarnings("serial")
  private final class Listener implements SearchResultListener {
    private final transient Consumer<SearchResultEntry> reader;

    Listener(Consumer<SearchResultEntry> reader) {
      this.reader = reader;
    }

    @Override
    public void searchEntryReturned(SearchResultEntry entry) {
      hasShown = true;
      reader.accept(entry);
    }

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {
      references++;
    }
  }
}
