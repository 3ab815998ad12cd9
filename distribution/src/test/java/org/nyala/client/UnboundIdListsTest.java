package org.nyala.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.AddRequest;
import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.AsyncSearchResultListener;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestMode;
import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import com.unboundid.ldap.sdk.controls.ServerSideSortRequestControl;
import com.unboundid.ldap.sdk.controls.ServerSideSortResponseControl;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import com.unboundid.ldap.sdk.controls.SortKey;
import com.unboundid.ldap.sdk.controls.TransactionSpecificationRequestControl;
import com.unboundid.ldap.sdk.controls.VirtualListViewRequestControl;
import com.unboundid.ldap.sdk.controls.VirtualListViewResponseControl;
import com.unboundid.ldap.sdk.extensions.EndTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedResult;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.ServedDirectory;

/** Tests pages, orders and list views over the wire, as UnboundID's client understands them. */
class UnboundIdListsTest {
  private static final String SUFFIX = "dc=example,dc=com";
  private static final String PERSON = "(objectClass=person)";

  @TempDir static Path folder;

  private static ServedDirectory served;

  private LDAPConnection connection;
  private List<String> names;
  private ASN1OctetString last;

  @BeforeAll
  static void serve() throws Exception {
    served = ServedDirectory.start(folder, "clients.ldif");
  }

  @AfterAll
  static void stop() {
    served.close();
  }

  @BeforeEach
  void connect() throws LDAPException {
    connection = new LDAPConnection("127.0.0.1", served.port());
    SearchResult all = connection.search(SUFFIX, SearchScope.SUB, PERSON, "cn");
    names =
        all.getSearchEntries().stream()
            .sorted(
                Comparator.comparing(
                    entry ->
                        List.of(entry.getAttributeValues("cn")).stream()
                            .map(name -> name.toLowerCase(Locale.ROOT))
                            .min(Comparator.naturalOrder())
                            .orElseThrow()))
            .map(SearchResultEntry::getDN)
            .toList();
    assertThat(names).hasSizeGreaterThan(2);
  }

  @AfterEach
  void disconnect() {
    connection.close();
  }

  private SearchResult search(Control... controls) throws LDAPException {
    SearchRequest request = new SearchRequest(SUFFIX, SearchScope.SUB, PERSON, "1.1");
    request.setControls(controls);
    return connection.search(request);
  }

  private static List<String> dns(SearchResult result) {
    return result.getSearchEntries().stream().map(SearchResultEntry::getDN).toList();
  }

  private static ServerSideSortRequestControl byName(boolean reverse) {
    return new ServerSideSortRequestControl(true, new SortKey("cn", null, reverse));
  }

  @Test
  void shouldSayThatItCan() throws LDAPException {
    assertThat(connection.getRootDSE().getSupportedControlOIDs())
        .contains(
            SimplePagedResultsControl.PAGED_RESULTS_OID,
            ServerSideSortRequestControl.SERVER_SIDE_SORT_REQUEST_OID,
            VirtualListViewRequestControl.VIRTUAL_LIST_VIEW_REQUEST_OID);
  }

  @Test
  void shouldSortInBothDirections() throws LDAPException {
    SearchResult sorted = search(byName(false));
    assertThat(dns(sorted)).isEqualTo(names);
    assertThat(ServerSideSortResponseControl.get(sorted).getResultCode())
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(dns(search(byName(true)))).isEqualTo(names.reversed());
  }

  @Test
  void shouldSayByWhatItCannotSort() {
    ServerSideSortRequestControl unknown =
        new ServerSideSortRequestControl(true, new SortKey("shoeSize"));
    assertThatThrownBy(() -> search(unknown))
        .isInstanceOfSatisfying(
            LDAPException.class,
            e ->
                assertThat(e.getResultCode()).isEqualTo(ResultCode.UNAVAILABLE_CRITICAL_EXTENSION));
  }

  private List<String> pages(int size, Control... others) throws LDAPException {
    List<String> found = new ArrayList<>();
    ASN1OctetString cookie = null;
    do {
      List<Control> controls = new ArrayList<>(List.of(others));
      controls.add(new SimplePagedResultsControl(size, cookie, true));
      SearchResult page = search(controls.toArray(Control[]::new));
      assertThat(page.getEntryCount()).isBetween(1, size);
      found.addAll(dns(page));
      SimplePagedResultsControl next = SimplePagedResultsControl.get(page);
      cookie = next.moreResultsToReturn() ? next.getCookie() : null;
    } while (cookie != null);
    return found;
  }

  @Test
  void shouldShowEverythingInPages() throws LDAPException {
    assertThat(pages(1)).containsExactlyInAnyOrderElementsOf(names);
    assertThat(pages(2)).containsExactlyInAnyOrderElementsOf(names);
    assertThat(pages(1000)).containsExactlyInAnyOrderElementsOf(names);
    assertThat(pages(1, byName(false))).isEqualTo(names);
    assertThat(pages(2, byName(true))).isEqualTo(names.reversed());
  }

  @Test
  void shouldRefuseACookieThatItDidNotMake() {
    ASN1OctetString cookie = new ASN1OctetString("0123456789012345678901234567890123456789");
    assertThatThrownBy(() -> search(new SimplePagedResultsControl(1, cookie, true)))
        .isInstanceOfSatisfying(
            LDAPException.class,
            e -> assertThat(e.getResultCode()).isEqualTo(ResultCode.UNWILLING_TO_PERFORM));
  }

  @Test
  void shouldShowPartsOfAList() throws LDAPException {
    SearchResult part =
        search(byName(false), new VirtualListViewRequestControl(2, 1, 1, 0, null, true));
    assertThat(dns(part)).isEqualTo(names.subList(0, Math.min(3, names.size())));
    VirtualListViewResponseControl place = VirtualListViewResponseControl.get(part);
    assertThat(place.getTargetPosition()).isEqualTo(2);
    assertThat(place.getContentCount()).isEqualTo(names.size());
    SearchResult last =
        search(
            byName(false),
            new VirtualListViewRequestControl(
                names.size(), 0, 5, names.size(), place.getContextID(), true));
    assertThat(dns(last)).last().isEqualTo(names.getLast());
    SearchResult behind =
        search(byName(false), new VirtualListViewRequestControl("zzzz", 1, 1, null, true));
    assertThat(dns(behind)).containsExactly(names.getLast());
    assertThat(VirtualListViewResponseControl.get(behind).getTargetPosition())
        .isEqualTo(names.size() + 1);
  }

  /** Looks at a whole list of its own, going on with the list of the last look or not. */
  private List<String> list(boolean goesOn) throws LDAPException {
    SearchRequest request =
        new SearchRequest(SUFFIX, SearchScope.SUB, "(&(sn=*)" + PERSON + ")", "1.1");
    request.setControls(
        byName(false), new VirtualListViewRequestControl(1, 0, 100, 0, goesOn ? last : null, true));
    SearchResult shown = connection.search(request);
    last = VirtualListViewResponseControl.get(shown).getContextID();
    return dns(shown);
  }

  @Test
  void shouldShowInListsWhatTheConnectionHasChanged() throws Exception {
    connection.bind("cn=admin," + SUFFIX, "admin");
    for (boolean goesOn : new boolean[] {false, true}) {
      list(false);
      connection.add("dn: cn=!0," + SUFFIX, "objectClass: person", "cn: !0", "sn: of the list");
      assertThat(list(goesOn)).as("added").startsWith("cn=!0," + SUFFIX);
      connection.modifyDN("cn=!0," + SUFFIX, "cn=~0", true);
      assertThat(list(goesOn)).as("renamed").endsWith("cn=~0," + SUFFIX);
      connection.modify("dn: cn=~0," + SUFFIX, "changetype: modify", "add: cn", "cn: !1");
      assertThat(list(goesOn)).as("modified").startsWith("cn=~0," + SUFFIX);
      connection.delete("cn=~0," + SUFFIX);
      assertThat(list(goesOn)).as("deleted").isEqualTo(names);
      inTransaction("cn=!0," + SUFFIX);
      assertThat(list(goesOn)).as("in a transaction").startsWith("cn=!0," + SUFFIX);
      connection.delete("cn=!0," + SUFFIX);
    }
  }

  private void inTransaction(String name) throws LDAPException {
    ASN1OctetString id =
        ((StartTransactionExtendedResult)
                connection.processExtendedOperation(new StartTransactionExtendedRequest()))
            .getTransactionID();
    connection.add(
        new AddRequest(
            new Entry(name, new Attribute("objectClass", "person"), new Attribute("sn", "listed")),
            new Control[] {new TransactionSpecificationRequestControl(id)}));
    assertThat(
            connection
                .processExtendedOperation(new EndTransactionExtendedRequest(id, true))
                .getResultCode())
        .isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldShowInListsWhatTheConnectionWasNotifiedOf() throws Exception {
    for (Control wanted :
        List.of(
            new PersistentSearchRequestControl(
                PersistentSearchChangeType.allChangeTypes(), false, true),
            new ContentSyncRequestControl(ContentSyncRequestMode.REFRESH_AND_PERSIST))) {
      Notices notices = new Notices();
      SearchRequest following = new SearchRequest(notices, SUFFIX, SearchScope.SUB, PERSON);
      following.addControl(wanted);
      AsyncRequestID follows = connection.asyncSearch(following);
      try (LDAPConnection other = new LDAPConnection("127.0.0.1", served.port())) {
        other.bind("cn=admin," + SUFFIX, "admin");
        // It follows from before the first entry on.
        notices.told.take();
        notices.await(other, "cn=!0," + SUFFIX);
        list(false);
        other.delete("cn=!0," + SUFFIX);
        notices.await(other, "cn=!1," + SUFFIX);
        assertThat(list(false)).startsWith("cn=!1," + SUFFIX);
        other.delete("cn=!1," + SUFFIX);
      } finally {
        connection.abandon(follows);
      }
    }
  }

  /** The entries of which a connection was told, and a writer that waits for them. */
  private static final class Notices implements AsyncSearchResultListener {
    private static final long serialVersionUID = 1;

    private final transient BlockingQueue<String> told = new LinkedBlockingQueue<>();

    /** Adds entries until the connection is told of one. */
    void await(LDAPConnection writer, String name) throws Exception {
      writer.add(new Entry(name, new Attribute("objectClass", "person"), new Attribute("sn", "x")));
      while (!told.take().equals(name)) {
        // Of an entry that was there.
      }
    }

    @Override
    public void searchEntryReturned(SearchResultEntry entry) {
      told.add(entry.getDN());
    }

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {}

    @Override
    public void searchResultReceived(AsyncRequestID id, SearchResult result) {}
  }

  @Test
  void shouldWantAnOrderForAList() {
    assertThatThrownBy(() -> search(new VirtualListViewRequestControl(1, 0, 1, 0, null, true)))
        .isInstanceOfSatisfying(
            LDAPException.class,
            e -> assertThat(e.getResultCode()).isEqualTo(ResultCode.VIRTUAL_LIST_VIEW_ERROR));
  }
}
