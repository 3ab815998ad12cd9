package org.nyala.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ServerSideSortRequestControl;
import com.unboundid.ldap.sdk.controls.ServerSideSortResponseControl;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import com.unboundid.ldap.sdk.controls.SortKey;
import com.unboundid.ldap.sdk.controls.VirtualListViewRequestControl;
import com.unboundid.ldap.sdk.controls.VirtualListViewResponseControl;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
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

  @Test
  void shouldWantAnOrderForAList() {
    assertThatThrownBy(() -> search(new VirtualListViewRequestControl(1, 0, 1, 0, null, true)))
        .isInstanceOfSatisfying(
            LDAPException.class,
            e -> assertThat(e.getResultCode()).isEqualTo(ResultCode.VIRTUAL_LIST_VIEW_ERROR));
  }
}
