package org.nyala.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.AsyncSearchResultListener;
import com.unboundid.ldap.sdk.CRAMMD5BindRequest;
import com.unboundid.ldap.sdk.CompareRequest;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.ExtendedRequest;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPResult;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.PLAINBindRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.RootDSE;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.SimpleBindRequest;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import com.unboundid.ldap.sdk.extensions.WhoAmIExtendedRequest;
import com.unboundid.ldap.sdk.extensions.WhoAmIExtendedResult;
import com.unboundid.ldap.sdk.schema.AttributeTypeDefinition;
import com.unboundid.ldap.sdk.schema.Schema;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Patience;
import org.nyala.process.ServedDirectory;

/** Tests UnboundID's client, the strictest of the common ones, against a real server. */
class UnboundIdClientTest {
  private static final String SUFFIX = "dc=example,dc=com";
  private static final String ADA = "uid=ada,ou=People,dc=example,dc=com";

  @TempDir static Path folder;

  private static ServedDirectory served;

  private LDAPConnection connection;

  @BeforeAll
  static void serve() throws Exception {
    served = ServedDirectory.start(folder, "clients.ldif", "run-to-completion");
  }

  @AfterAll
  static void stop() {
    served.close();
  }

  @BeforeEach
  void connect() throws LDAPException {
    connection = new LDAPConnection("127.0.0.1", served.port());
  }

  @AfterEach
  void disconnect() {
    connection.close();
  }

  private static ResultCode codeOf(Throwable e) {
    return ((LDAPException) e).getResultCode();
  }

  @Test
  void shouldPublishASchemaOfWhichEveryLineParses() throws Exception {
    Schema schema = Schema.getSchema(connection, "", true);
    assertThat(schema.getAttributeTypes()).hasSizeGreaterThan(100);
    assertThat(schema.getObjectClass("inetOrgPerson").getSuperiorClasses(schema, true)).hasSize(3);
    for (AttributeTypeDefinition type : schema.getAttributeTypes()) {
      String rule = type.getEqualityMatchingRule(schema);
      if (rule != null) {
        assertThat(schema.getMatchingRule(rule)).as("equality rule of %s", type).isNotNull();
      }
    }
  }

  @Test
  void shouldDescribeItself() throws LDAPException {
    RootDSE root = connection.getRootDSE();
    assertThat(root.getNamingContextDNs()).containsExactly(SUFFIX);
    assertThat(root.supportsLDAPVersion(3)).isTrue();
    assertThat(root.supportsControl(ManageDsaITRequestControl.MANAGE_DSA_IT_REQUEST_OID)).isTrue();
    assertThat(root.supportsExtendedOperation(WhoAmIExtendedRequest.WHO_AM_I_REQUEST_OID)).isTrue();
    assertThat(root.getVendorName()).isNotBlank();
  }

  @Test
  void shouldServeEntriesThatSatisfyTheirOwnFilters() throws LDAPException {
    SearchResult all = connection.search(SUFFIX, SearchScope.SUB, "(objectClass=*)", "*", "+");
    assertThat(all.getEntryCount()).isEqualTo(9);
    assertThat(all.getReferenceCount()).isEqualTo(1);
    for (SearchResultEntry entry : all.getSearchEntries()) {
      Filter byUuid =
          Filter.createEqualityFilter("entryUUID", entry.getAttributeValue("entryUUID"));
      assertThat(connection.searchForEntry(SUFFIX, SearchScope.SUB, byUuid).getDN())
          .isEqualTo(entry.getDN());
    }
  }

  @Test
  void shouldDistinguishScopes() throws LDAPException {
    assertThat(count(SearchScope.BASE)).isEqualTo(1);
    assertThat(count(SearchScope.ONE)).isEqualTo(2);
    assertThat(count(SearchScope.SUB)).isEqualTo(9);
    assertThat(count(SearchScope.SUBORDINATE_SUBTREE)).isEqualTo(8);
  }

  private int count(SearchScope scope) throws LDAPException {
    return connection.search(SUFFIX, scope, "(objectClass=*)", "1.1").getEntryCount();
  }

  @Test
  void shouldFollowAliasesAndManageReferrals() throws LDAPException {
    SearchRequest request =
        new SearchRequest("ou=Places," + SUFFIX, SearchScope.SUB, "(objectClass=*)", "1.1");
    request.setDerefPolicy(DereferencePolicy.ALWAYS);
    SearchResult followed = connection.search(request);
    assertThat(followed.getSearchEntry(ADA)).isNotNull();
    assertThat(followed.getSearchReferences().getFirst().getReferralURLs())
        .anySatisfy(url -> assertThat(url).startsWith("ldap://ldap.example.net/"));

    request.setDerefPolicy(DereferencePolicy.NEVER);
    request.addControl(new ManageDsaITRequestControl(true));
    SearchResult managed = connection.search(request);
    assertThat(managed.getReferenceCount()).isZero();
    assertThat(managed.getSearchEntry("cn=elsewhere,ou=Places," + SUFFIX)).isNotNull();
  }

  @Test
  void shouldBindInEveryWayItOffers() throws LDAPException {
    assertThat(connection.bind(new SimpleBindRequest()).getResultCode())
        .isEqualTo(ResultCode.SUCCESS);
    connection.bind(ADA, "enchantress");
    WhoAmIExtendedResult who =
        (WhoAmIExtendedResult) connection.processExtendedOperation(new WhoAmIExtendedRequest());
    assertThat(who.getAuthorizationID()).isEqualTo("dn:" + ADA);
    assertThatThrownBy(() -> connection.bind(ADA, "wrong"))
        .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ResultCode.INVALID_CREDENTIALS));
    assertThat(connection.bind(new PLAINBindRequest("u:ada", "enchantress")).getResultCode())
        .isEqualTo(ResultCode.SUCCESS);
    assertThatThrownBy(() -> connection.bind(new PLAINBindRequest("u:ada", "x")))
        .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ResultCode.INVALID_CREDENTIALS));
    assertThatThrownBy(() -> connection.bind(new CRAMMD5BindRequest("u:ada", "enchantress")))
        .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ResultCode.AUTH_METHOD_NOT_SUPPORTED));
    who = (WhoAmIExtendedResult) connection.processExtendedOperation(new WhoAmIExtendedRequest());
    assertThat(who.getAuthorizationID()).as("identity after a failed bind").isEmpty();
  }

  @Test
  void shouldRefuseANameWithoutAPassword() throws LDAPException {
    connection.getConnectionOptions().setBindWithDNRequiresPassword(false);
    assertThatThrownBy(() -> connection.bind(ADA, ""))
        .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ResultCode.UNWILLING_TO_PERFORM));
  }

  @Test
  void shouldCompare() throws LDAPException {
    assertThat(connection.compare(new CompareRequest(ADA, "sn", "LOVELACE")).compareMatched())
        .isTrue();
    assertThat(connection.compare(new CompareRequest(ADA, "sn", "Byron")).compareMatched())
        .isFalse();
  }

  @Test
  void shouldAnswerUnknownExtendedOperationsAndControls() throws LDAPException {
    assertThatThrownBy(() -> connection.processExtendedOperation(new ExtendedRequest("1.2.3.4")))
        .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ResultCode.PROTOCOL_ERROR));
    SearchRequest request = new SearchRequest(ADA, SearchScope.BASE, "(objectClass=*)");
    request.addControl(new Control("1.2.3.4", true, new ASN1OctetString("x")));
    assertThatThrownBy(() -> connection.search(request))
        .isInstanceOf(LDAPSearchException.class)
        .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ResultCode.UNAVAILABLE_CRITICAL_EXTENSION));
    request.setControls(new Control("1.2.3.4", false, new ASN1OctetString("x")));
    assertThat(connection.search(request).getEntryCount()).isEqualTo(1);
  }

  @Test
  void shouldGoOnAfterAnAbandon() throws Exception {
    for (int round = 0; round < 50; round++) {
      SearchRequest request =
          new SearchRequest(new Silent(), SUFFIX, SearchScope.SUB, "(objectClass=*)");
      AsyncRequestID id = connection.asyncSearch(request);
      connection.abandon(id);
    }
    assertThat(connection.getEntry(ADA)).isNotNull();
  }

  @Test
  void shouldAnswerManyRequestsOfOneConnection() throws Exception {
    int requests = 200;
    CountDownLatch answers = new CountDownLatch(requests);
    List<LDAPResult> results = new ArrayList<>();
    Set<AsyncRequestID> ids = new HashSet<>();
    AsyncSearchResultListener listener =
        new Silent() {
          @Override
          public synchronized void searchResultReceived(AsyncRequestID id, SearchResult result) {
            results.add(result);
            answers.countDown();
          }
        };
    for (int i = 0; i < requests; i++) {
      ids.add(
          connection.asyncSearch(
              new SearchRequest(listener, SUFFIX, SearchScope.SUB, "(uid=ada)", "cn")));
    }
    assertThat(ids).hasSize(requests);
    Patience.await(answers);
    synchronized (listener) {
      assertThat(results)
          .hasSize(requests)
          .allSatisfy(result -> assertThat(result.getResultCode()).isEqualTo(ResultCode.SUCCESS));
    }
  }

  @Test
  void shouldRefuseWritesOfStrangersAndReaders() throws LDAPException {
    assertThatThrownBy(() -> connection.delete(ADA))
        .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ResultCode.STRONG_AUTH_REQUIRED));
    connection.bind(ADA, "enchantress");
    assertThatThrownBy(() -> connection.delete(ADA))
        .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS));
  }

  /** Discards answers. */
  private static class Silent implements AsyncSearchResultListener {
    private static final long serialVersionUID = 1;

    @Override
    public void searchEntryReturned(SearchResultEntry entry) {}

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {}

    @Override
    public void searchResultReceived(AsyncRequestID id, SearchResult result) {}
  }
}
