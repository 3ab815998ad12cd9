package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.CompareRequest;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.AssertionRequestControl;
import com.unboundid.ldap.sdk.controls.PostReadRequestControl;
import com.unboundid.ldap.sdk.controls.PostReadResponseControl;
import com.unboundid.ldap.sdk.controls.PreReadRequestControl;
import com.unboundid.ldap.sdk.controls.PreReadResponseControl;
import com.unboundid.ldap.sdk.controls.ServerSideSortRequestControl;
import com.unboundid.ldap.sdk.controls.SortKey;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nyala.process.LocalServer;

/** Asks in every way for memberships of groups that a client may not read. */
@Timeout(300)
class HiddenGroupsTest extends HiddenPlaceTestCase {
  private static final String BOB = "uid=bob," + TOP;
  private static final String OPEN = "cn=open," + TOP;
  private static final String HIDDEN = "cn=hidden," + CLOSED;
  private static final String OTHER = "cn=other," + CLOSED;
  private static final String MISSING = "cn=missing," + CLOSED;
  private static final String CHAIN = "1.2.840.113556.1.4.1941";
  private static final String RULES =
      """
      to attributes description
        users may read, write
      to all
        users may read
      """;

  @BeforeEach
  void fill() throws Exception {
    serve(RULES, List.of(ANN, BOB));
    root.add("dn: " + OPEN, "objectClass: groupOfNames", "member: " + ANN);
    root.add("dn: " + HIDDEN, "objectClass: groupOfNames", "member: " + ANN, "member: " + BOB);
    root.add("dn: " + OTHER, "objectClass: groupOfNames", "member: cn=nobody");
    ann = LocalServer.connect(server);
    ann.bind(ANN, "pw");
  }

  private static ResultCode compare(LDAPConnection client, String name, String group)
      throws LDAPException {
    return client.compare(new CompareRequest(name, "memberOf", group)).getResultCode();
  }

  private ModifyRequest change(Control control) {
    return new ModifyRequest(
        ANN,
        new Modification[] {new Modification(ModificationType.REPLACE, "description", "d")},
        new Control[] {control});
  }

  private ResultCode asserted(String filter) throws LDAPException {
    AssertionRequestControl control = new AssertionRequestControl(filter, true);
    SearchRequest search = new SearchRequest(ANN, SearchScope.BASE, "(uid=*)", "1.1");
    search.addControl(control);
    CompareRequest compare = new CompareRequest(ANN, "uid", "ann");
    compare.addControl(control);
    ResultCode searched = code(() -> ann.search(search).getResultCode());
    ResultCode compared = code(() -> ann.compare(compare).getResultCode());
    ResultCode modified = code(() -> ann.modify(change(control)).getResultCode());
    assertThat(searched).as(filter).isEqualTo(modified);
    assertThat(compared == ResultCode.ASSERTION_FAILED)
        .as(filter)
        .isEqualTo(modified == ResultCode.ASSERTION_FAILED);
    return modified;
  }

  private interface Request {
    ResultCode send() throws LDAPException;
  }

  private static ResultCode code(Request request) {
    try {
      return request.send();
    } catch (LDAPException e) {
      return e.getResultCode();
    }
  }

  @Test
  void shouldCompareOnlyWithGroupsThatMayBeRead() throws LDAPException {
    assertThat(compare(ann, ANN, OPEN)).isEqualTo(ResultCode.COMPARE_TRUE);
    for (String group : List.of(HIDDEN, OTHER, MISSING)) {
      assertThat(compare(ann, ANN, group)).as(group).isEqualTo(ResultCode.COMPARE_FALSE);
      assertThat(code(() -> compare(ann, BOB, group)))
          .as(group)
          .isEqualTo(ResultCode.NO_SUCH_ATTRIBUTE);
    }
    assertThat(compare(root, BOB, HIDDEN)).isEqualTo(ResultCode.COMPARE_TRUE);
    assertThat(compare(root, BOB, OPEN)).isEqualTo(ResultCode.COMPARE_FALSE);
  }

  @Test
  void shouldAssertOnlyByGroupsThatMayBeRead() throws LDAPException {
    assertThat(asserted("(memberOf=" + OPEN + ")")).isEqualTo(ResultCode.SUCCESS);
    for (String rule : List.of("=", ":" + CHAIN + ":=", ":distinguishedNameMatch:=")) {
      for (String group : List.of(HIDDEN, OTHER, MISSING)) {
        assertThat(asserted("(memberOf" + rule + group + ")"))
            .as(rule + group)
            .isEqualTo(ResultCode.ASSERTION_FAILED);
        assertThat(asserted("(!(memberOf" + rule + group + "))"))
            .as("not " + rule + group)
            .isEqualTo(asserted("(!(memberOf" + rule + MISSING + "))"));
      }
    }
  }

  @Test
  void shouldReadOnlyGroupsThatMayBeReadAroundAChange() throws LDAPException {
    for (String asked : List.of("memberOf", "+")) {
      Entry before =
          PreReadResponseControl.get(ann.modify(change(new PreReadRequestControl(true, asked))))
              .getEntry();
      Entry after =
          PostReadResponseControl.get(ann.modify(change(new PostReadRequestControl(true, asked))))
              .getEntry();
      assertThat(before.getAttributeValues("memberOf")).as(asked).containsExactly(OPEN);
      assertThat(after.getAttributeValues("memberOf")).as(asked).containsExactly(OPEN);
    }
  }

  @Test
  void shouldShowMembershipsAmongOperationalAttributes() throws LDAPException {
    assertThat(ann.getEntry(ANN, "*", "+").getAttributeValues("memberOf")).containsExactly(OPEN);
    assertThat(root.getEntry(ANN, "+").getAttributeValues("memberOf"))
        .containsExactlyInAnyOrder(OPEN, HIDDEN);
    assertThat(ann.getEntry(BOB, "+").hasAttribute("memberOf")).isFalse();
    assertThat(root.getEntry(ANN, "*").hasAttribute("memberOf")).isFalse();
  }

  @Test
  void shouldNotSortByMemberships() throws LDAPException {
    SearchRequest request = new SearchRequest(TOP, SearchScope.SUB, "(uid=*)", "1.1");
    request.addControl(new ServerSideSortRequestControl(true, new SortKey("memberOf")));
    assertThatThrownBy(() -> root.search(request))
        .isInstanceOfSatisfying(
            LDAPException.class,
            e ->
                assertThat(e.getResultCode()).isEqualTo(ResultCode.UNAVAILABLE_CRITICAL_EXTENSION));
  }
}
