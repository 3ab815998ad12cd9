package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ServerSideSortRequestControl;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import com.unboundid.ldap.sdk.controls.SortKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;

/** Reads all pages of a search by users of different limits. */
@Timeout(300)
class PagedLimitsTest {
  private static final String TOP = "dc=example,dc=com";
  private static final int ENTRIES = 20;
  private static final String RULES =
      """
      limit entry "uid=sync,dc=example,dc=com" entries 5, pagedEntries unlimited
      limit entry "uid=more,dc=example,dc=com" entries 5, pagedEntries 12, pageSize 4
      limit entry "uid=less,dc=example,dc=com" pagedEntries 3
      limit users entries 5
      to attributes userPassword
        anonymous may authenticate
      to all
        all may read
      """;

  @TempDir Path folder;

  private RunningServer server;

  @BeforeEach
  void start() throws Exception {
    Files.writeString(folder.resolve("access.rules"), RULES);
    Path file = ServerProcess.configure(folder, "access.rules = access.rules");
    server = LocalServer.startFrom(file, folder);
    try (LDAPConnection root = LocalServer.connectAsRoot(server)) {
      root.add("dn: " + TOP, "objectClass: domain", "dc: example");
      for (String user : new String[] {"sync", "more", "less", "other"}) {
        root.add(
            "dn: uid=" + user + "," + TOP,
            "objectClass: inetOrgPerson",
            "cn: " + user,
            "sn: A",
            "userPassword: secret");
      }
      for (int i = 5; i < ENTRIES; i++) {
        root.add("dn: ou=" + i + "," + TOP, "objectClass: organizationalUnit", "ou: " + i);
      }
    }
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @ParameterizedTest
  @CsvSource({
    "sync,false,20,5,7",
    "sync,true,20,5,7",
    "more,false,12,5,4",
    "more,true,12,5,4",
    "less,false,3,20,7",
    "other,false,5,5,7",
    "other,true,5,5,7"
  })
  void shouldBoundTheEntriesOfAllPages(
      String user, boolean isSorted, int paged, int unpaged, int page) throws Exception {
    try (LDAPConnection client = LocalServer.connect(server)) {
      client.bind("uid=" + user + "," + TOP, "secret");
      Read read = read(client, "(objectClass=*)", 0, 7, isSorted);
      assertThat(read.largest()).isLessThanOrEqualTo(page);
      assertThat(read.entries()).isEqualTo(paged);
      assertThat(read.end())
          .isEqualTo(paged == ENTRIES ? ResultCode.SUCCESS : ResultCode.SIZE_LIMIT_EXCEEDED);
      assertThat(read(client, "(objectClass=*)", 0, 0, false).entries()).isEqualTo(unpaged);
    }
  }

  /**
   * Finds one entry less than a limit allows, as many, and one more, in pages of one less, as many,
   * and one more, and in none.
   */
  @ParameterizedTest
  @CsvSource({
    // The client's own, and those of rules: of all entries, of those in pages, of one page.
    "root,5,5,5,0",
    "other,0,5,5,0",
    "less,0,0,3,0",
    "sync,0,5,0,0",
    "more,0,5,12,4",
    "more,4,4,4,4",
  })
  void shouldKeepToEachLimitExactly(String user, int wanted, int unpaged, int paged, int page)
      throws Exception {
    try (LDAPConnection client =
        user.equals("root") ? LocalServer.connectAsRoot(server) : LocalServer.connect(server)) {
      if (!user.equals("root")) {
        client.bind("uid=" + user + "," + TOP, "secret");
      }
      for (int limit : new TreeSet<>(List.of(unpaged, paged, Math.max(page, 2)))) {
        for (int found = Math.max(1, limit - 1); found <= limit + 1; found++) {
          shouldRead(client, found, wanted, 0, unpaged, false);
          for (int size = Math.max(1, limit - 1); size <= limit + 1; size++) {
            // The client wants no more than the first page holds (RFC 2696, section 3).
            boolean isIgnored = wanted > 0 && size >= wanted;
            int most = isIgnored ? unpaged : paged;
            int largest = shouldRead(client, found, wanted, size, most, isIgnored);
            if (!isIgnored) {
              assertThat(largest).isLessThanOrEqualTo(page == 0 ? size : Math.min(page, size));
            }
          }
        }
      }
    }
  }

  private static int shouldRead(
      LDAPConnection client, int found, int wanted, int size, int most, boolean isOneAnswer)
      throws LDAPException {
    StringBuilder filter = new StringBuilder("(|");
    for (int i = 5; i < 5 + found; i++) {
      filter.append("(ou=").append(i).append(')');
    }
    int largest = 0;
    for (boolean isSorted : new boolean[] {false, true}) {
      Read read = read(client, filter.append(')').toString(), wanted, size, isSorted);
      filter.setLength(filter.length() - 1);
      assertThat(read.entries())
          .as("%d found, %d wanted, pages of %d, sorted %s", found, wanted, size, isSorted)
          .isEqualTo(most == 0 ? found : Math.min(found, most));
      assertThat(read.end())
          .isEqualTo(
              most == 0 || found <= most ? ResultCode.SUCCESS : ResultCode.SIZE_LIMIT_EXCEEDED);
      boolean mayBePaged = size > 0 && !isOneAnswer;
      assertThat(read.isPaged())
          .isEqualTo(mayBePaged && (read.end() == ResultCode.SUCCESS || read.isPaged()));
      largest = Math.max(largest, read.largest());
    }
    return largest;
  }

  /**
   * The entries and answers that a client has read.
   *
   * @param entries the entries of all pages
   * @param largest the most of one page
   * @param isPaged true if an answer was one of pages; that of an exceeded limit is none
   */
  private record Read(int entries, int largest, boolean isPaged, ResultCode end) {}

  /** Reads all pages; 0 for none. */
  private static Read read(
      LDAPConnection client, String filter, int wanted, int page, boolean isSorted)
      throws LDAPException {
    int found = 0;
    int largest = 0;
    boolean isPaged = false;
    ASN1OctetString cookie = null;
    ResultCode end = null;
    while (end == null) {
      SearchRequest request = new SearchRequest(TOP, SearchScope.SUB, filter);
      request.setSizeLimit(wanted);
      if (page > 0) {
        request.addControl(new SimplePagedResultsControl(page, cookie));
      }
      if (isSorted) {
        request.addControl(new ServerSideSortRequestControl(new SortKey("objectClass")));
      }
      SearchResult result = result(client, request);
      found += result.getEntryCount();
      largest = Math.max(largest, result.getEntryCount());
      SimplePagedResultsControl next = SimplePagedResultsControl.get(result);
      isPaged |= next != null;
      boolean goesOn = next != null && next.moreResultsToReturn();
      cookie = goesOn ? next.getCookie() : null;
      end = goesOn ? null : result.getResultCode();
    }
    return new Read(found, largest, isPaged, end);
  }

  private static SearchResult result(LDAPConnection client, SearchRequest request)
      throws LDAPException {
    try {
      return client.search(request);
    } catch (LDAPSearchException e) {
      return e.getSearchResult();
    }
  }
}
