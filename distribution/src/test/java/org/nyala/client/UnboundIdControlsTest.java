package org.nyala.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.BindResult;
import com.unboundid.ldap.sdk.CompareRequest;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.SimpleBindRequest;
import com.unboundid.ldap.sdk.controls.AssertionRequestControl;
import com.unboundid.ldap.sdk.controls.AuthorizationIdentityRequestControl;
import com.unboundid.ldap.sdk.controls.AuthorizationIdentityResponseControl;
import com.unboundid.ldap.sdk.controls.DontUseCopyRequestControl;
import com.unboundid.ldap.sdk.controls.DraftLDUPSubentriesRequestControl;
import com.unboundid.ldap.sdk.controls.MatchedValuesFilter;
import com.unboundid.ldap.sdk.controls.MatchedValuesRequestControl;
import com.unboundid.ldap.sdk.controls.ProxiedAuthorizationV2RequestControl;
import com.unboundid.ldap.sdk.controls.RFC3672SubentriesRequestControl;
import com.unboundid.ldap.sdk.extensions.WhoAmIExtendedRequest;
import com.unboundid.ldap.sdk.extensions.WhoAmIExtendedResult;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.ServedDirectory;

/** Tests the controls of UnboundID's client, on the wire and back. */
class UnboundIdControlsTest {
  private static final String SUFFIX = "dc=example,dc=com";
  private static final String ADA = "uid=ada,ou=People,dc=example,dc=com";
  private static final String ROOT = "cn=admin,dc=example,dc=com";

  @TempDir static Path folder;

  private static ServedDirectory served;

  private LDAPConnection connection;

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
  }

  @AfterEach
  void disconnect() {
    connection.close();
  }

  private static ResultCode codeOf(Throwable e) {
    return ((LDAPException) e).getResultCode();
  }

  private static SearchRequest search(String base, SearchScope scope, Control... controls) {
    SearchRequest request =
        new SearchRequest(base, scope, Filter.createPresenceFilter("objectClass"), "*", "+");
    request.setControls(controls);
    return request;
  }

  @Test
  void shouldShowMatchedValuesOnly() throws LDAPException {
    SearchRequest request =
        search(
            ADA,
            SearchScope.BASE,
            new MatchedValuesRequestControl(
                true,
                MatchedValuesFilter.createEqualityFilter("objectClass", "PERSON"),
                MatchedValuesFilter.createSubstringFilter("uid", "a", null, "a"),
                MatchedValuesFilter.createPresentFilter("entryDN")));
    SearchResultEntry entry = connection.search(request).getSearchEntries().getFirst();
    assertThat(entry.getAttributes()).hasSize(3);
    assertThat(entry.getAttributeValues("objectClass")).containsExactly("person");
    assertThat(entry.getAttributeValues("uid")).containsExactly("ada");
    assertThat(entry.getAttributeValue("entryDN")).isEqualTo(ADA);
  }

  @Test
  void shouldGoByAssertions() throws LDAPException {
    Control isAda = new AssertionRequestControl("(uid=ada)");
    Control isNot = new AssertionRequestControl("(!(uid=ada))");
    Control noCopy = new DontUseCopyRequestControl();
    assertThat(connection.search(search(ADA, SearchScope.BASE, isAda, noCopy)).getEntryCount())
        .isEqualTo(1);
    assertThatThrownBy(() -> connection.search(search(ADA, SearchScope.BASE, isNot)))
        .isInstanceOf(LDAPSearchException.class)
        .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ResultCode.ASSERTION_FAILED));
    CompareRequest compare = new CompareRequest(ADA, "uid", "ada", new Control[] {isAda});
    assertThat(connection.compare(compare).compareMatched()).isTrue();
  }

  @Test
  void shouldShowSubentriesApart() throws LDAPException {
    Control hidden = new RFC3672SubentriesRequestControl(false);
    Control alone = new RFC3672SubentriesRequestControl(true);
    assertThat(connection.search(search(SUFFIX, SearchScope.SUB, hidden)).getEntryCount())
        .isEqualTo(connection.search(search(SUFFIX, SearchScope.SUB)).getEntryCount());
    assertThat(connection.search(search(SUFFIX, SearchScope.SUB, alone)).getEntryCount()).isZero();
    Control unknown = new DraftLDUPSubentriesRequestControl(true);
    assertThatThrownBy(() -> connection.search(search(SUFFIX, SearchScope.SUB, unknown)))
        .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ResultCode.UNAVAILABLE_CRITICAL_EXTENSION));
  }

  @Test
  void shouldTellWhoIsBoundAndActOnBehalfOfOthers() throws LDAPException {
    SimpleBindRequest bind =
        new SimpleBindRequest(ROOT, "admin", new AuthorizationIdentityRequestControl());
    BindResult bound = connection.bind(bind);
    assertThat(AuthorizationIdentityResponseControl.get(bound).getAuthorizationID())
        .isEqualTo("dn:" + ROOT);
    Control asAda = new ProxiedAuthorizationV2RequestControl("dn:" + ADA);
    WhoAmIExtendedResult whoAmI =
        (WhoAmIExtendedResult)
            connection.processExtendedOperation(new WhoAmIExtendedRequest(new Control[] {asAda}));
    assertThat(whoAmI.getAuthorizationID()).isEqualTo("dn:" + ADA);
    Control asUser = new ProxiedAuthorizationV2RequestControl("u:ada");
    assertThatThrownBy(() -> connection.search(search(ADA, SearchScope.BASE, asUser)))
        .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ResultCode.AUTHORIZATION_DENIED));
  }
}
