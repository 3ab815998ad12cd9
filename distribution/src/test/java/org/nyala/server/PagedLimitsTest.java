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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;

/** Reads all pages of a search by users of different limits. */
@Timeout(60)
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
      int found = 0;
      ASN1OctetString cookie = null;
      ResultCode end = null;
      while (end == null) {
        SearchRequest request = new SearchRequest(TOP, SearchScope.SUB, "(objectClass=*)");
        request.addControl(new SimplePagedResultsControl(7, cookie));
        if (isSorted) {
          request.addControl(new ServerSideSortRequestControl(new SortKey("objectClass")));
        }
        SearchResult result = result(client, request);
        found += result.getEntryCount();
        assertThat(result.getEntryCount()).isLessThanOrEqualTo(page);
        SimplePagedResultsControl next = SimplePagedResultsControl.get(result);
        boolean goesOn = next != null && next.moreResultsToReturn();
        cookie = goesOn ? next.getCookie() : null;
        end = goesOn ? null : result.getResultCode();
      }
      assertThat(found).isEqualTo(paged);
      assertThat(end)
          .isEqualTo(paged == ENTRIES ? ResultCode.SUCCESS : ResultCode.SIZE_LIMIT_EXCEEDED);
      assertThat(
              result(client, new SearchRequest(TOP, SearchScope.SUB, "(objectClass=*)"))
                  .getEntryCount())
          .isEqualTo(unpaged);
    }
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
