package org.nyala.comparison;

import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultListener;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import java.util.function.Consumer;
import org.nyala.replica.ProviderConnection;

/** The search for all entries below a name, which are passed on as they arrive. */
final class ServerEntries {
  private ServerEntries() {}

  /**
   * Reads the entries to the last one.
   *
   * @throws LDAPException if the server refuses some of them or ends
   */
  static void read(
      ProviderConnection connection,
      String base,
      Consumer<SearchResultEntry> reader,
      String... attributes)
      throws LDAPException {
    SearchRequest request =
        new SearchRequest(
            new Listener(reader),
            base,
            SearchScope.SUB,
            Filter.createPresenceFilter("objectClass"),
            attributes);
    request.addControl(new ManageDsaITRequestControl(true));
    request.setResponseTimeoutMillis(0);
    connection.connection().search(request);
  }

  @SuppressWarnings("serial")
  private record Listener(Consumer<SearchResultEntry> reader) implements SearchResultListener {
    @Override
    public void searchEntryReturned(SearchResultEntry entry) {
      reader.accept(entry);
    }

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {
      // Entries of other servers are not compared.
    }
  }
}
