package org.nyala.visibility;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.protocol.SearchRequestProtocolOp;
import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchScope;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Follows entries by groups, and by attributes that may be searched and not read. */
class FollowedGroupsTest extends FollowedChangesTestCase {
  private static final String CREW = "cn=crew," + TOP;
  private static final String OF_CREW = "(memberOf=" + CREW + ")";

  private static final String EVE = "uid=eve," + OPEN;

  @Override
  String rules() {
    return """
    to attributes userPassword
      self may read, write
      anonymous may authenticate
    to attributes description
      all may nothing
    to attributes street, modifyTimestamp
      users may search
    to subtree "ou=secret,dc=example,dc=com"
      all may nothing
    to where (employeeType=spy)
      all may nothing
    to all
      users may read
    """;
  }

  @Override
  String configuration() {
    return "memberOf.enabled = true, referentialIntegrity.attributes = [member]"
        + ", indexes { member = [eq], uniqueMember = [eq] }";
  }

  @BeforeEach
  void addGroup() throws Exception {
    root.add(
        "dn: " + CREW,
        "objectClass: groupOfNames",
        "objectClass: extensibleObject",
        "member: " + OPEN,
        "member: " + BOB,
        "member: " + EVE);
    root.add("dn: " + EVE, "objectClass: inetOrgPerson", "cn: c", "sn: s");
  }

  private void hide(String name) throws LDAPException {
    replace(name, "employeeType", "spy");
  }

  private void show(String name) throws LDAPException {
    replace(name, "employeeType");
  }

  @Test
  void shouldFollowMembersOfAGroupForAsLongAsItIsSeen() throws Exception {
    follow(OF_CREW, persistent(15), "title");
    replace(BOB, "title", "seen");
    assertThat(told()).containsExactly("modify " + BOB);
    hide(CREW);
    replace(BOB, "title", "as if there were no crew");
    root.delete(EVE);
    assertThat(told()).isEmpty();
    show(CREW);
    replace(BOB, "title", "seen again");
    assertThat(told()).containsExactly("modify " + BOB);
  }

  @Test
  void shouldFollowMembersOfAGroupOnceItIsSeen() throws Exception {
    hide(CREW);
    follow(OF_CREW, persistent(15), "title");
    replace(BOB, "title", "as if there were no crew");
    assertThat(told()).isEmpty();
    show(CREW);
    replace(BOB, "title", "seen");
    assertThat(told()).containsExactly("modify " + BOB);
    root.modifyDN(CREW, "cn=crew", true, SECRET);
    replace(BOB, "title", "as if there were no crew");
    assertThat(told()).isEmpty();
  }

  /** A group that is seen by the time of the test is one for all tests, also of other entries. */
  @Test
  void shouldNegateWhatIsHidden() throws Exception {
    follow("(&(cn=c)(!" + OF_CREW + "))", persistent(15), "title");
    replace(BOB, "title", "a member");
    assertThat(told()).isEmpty();
    hide(CREW);
    replace(BOB, "title", "no member that one could know of");
    assertThat(told()).containsExactly("modify " + BOB);
  }

  @Test
  void shouldTellOfMembersThatGoToAHiddenPlace() throws Exception {
    follow(OF_CREW, persistent(15), "title");
    move(BOB, SECRET);
    assertThat(told()).containsExactly("delete " + BOB);
    move("uid=bob," + SECRET, OPEN);
    assertThat(told()).containsExactly("add " + BOB);
    hide(BOB);
    assertThat(told()).containsExactly("delete " + BOB);
    show(BOB);
    assertThat(told()).containsExactly("add " + BOB);
    hide(CREW);
    move(BOB, SECRET);
    assertThat(told()).isEmpty();
  }

  @Test
  void shouldTellOfPresentMembersThatGoToAHiddenPlace() throws Exception {
    replace(CREW, "member", BOB);
    follow(OF_CREW, persistent(15), "title");
    replace(CREW, "member", EVE);
    hide(BOB);
    move(EVE, SECRET);
    assertThat(told()).containsExactly("delete " + EVE);
  }

  @Test
  void shouldTellOfChangesOfWhatIsSearchedBy() throws Exception {
    follow("(street=x)", persistent(15), "title");
    replace(BOB, "street", "x");
    assertThat(told()).containsExactly("modify " + BOB);
    replace(BOB, "street", "x", "y");
    assertThat(told()).containsExactly("modify " + BOB);
    replace(BOB, "description", "hidden");
    replace(BOB, "street", "y");
    assertThat(told()).isEmpty();
  }

  @Test
  void shouldTellOfMarksThatAreSearchedBy() throws Exception {
    follow("(&(cn=c)(modifyTimestamp>=20200101000000Z))", persistent(15), "title");
    replace(BOB, "description", "hidden");
    assertThat(told()).containsExactly("modify " + BOB);
  }

  @Test
  void shouldNotTellOfWhatIsNeitherReadNorSearchedBy() throws Exception {
    follow("(cn=c)", persistent(15), "title");
    replace(BOB, "street", "x");
    assertThat(told()).isEmpty();
  }

  /**
   * The filter of a content that is followed looks at nothing but entries, hidden groups or not.
   */
  @Test
  void shouldNotFollowByGroupsWhetherTheyAreSeenOrNot() throws Exception {
    for (int i = 0; i < 2; i++) {
      ann.close();
      ann = new RawClient(server, ANN, "secret");
      ann.send(
          new SearchRequestProtocolOp(
              TOP,
              SearchScope.SUB,
              DereferencePolicy.NEVER,
              0,
              0,
              false,
              Filter.create("(|(ou=mark)" + OF_CREW + ")"),
              List.of("title")),
          synchronizing());
      assertThat(LDAPMessage.decode(ann.next()).getSearchResultDoneProtocolOp().getResultCode())
          .isEqualTo(ResultCode.UNWILLING_TO_PERFORM_INT_VALUE);
      hide(CREW);
    }
  }
}
