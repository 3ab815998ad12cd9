package org.nyala.visibility;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.protocol.SearchResultDoneProtocolOp;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Synchronizes the content of a client that gets other rights while it follows. */
class SyncedRightsTest extends FollowedChangesTestCase {
  private static final String CREW = "cn=crew," + TOP;
  private static final String FILTER = "(&(cn=c)(!(sn=other))(|(uid=bob)(uid=a*)))";

  @Override
  String rules() {
    return """
    people crew = group "cn=crew,dc=example,dc=com"
    to attributes userPassword
      anonymous may authenticate
    to attributes street
      crew may read
    to all
      users may read
    """;
  }

  @Override
  String configuration() {
    return "memberOf.enabled = true";
  }

  @BeforeEach
  void addGroup() throws Exception {
    root.add("dn: " + CREW, "objectClass: groupOfNames", "member: " + BOB);
  }

  private void crew(ModificationType type) throws LDAPException {
    root.modify(CREW, new Modification(type, "member", ANN));
  }

  @Test
  void shouldGoOnIfOtherRightsGiveTheSame() throws Exception {
    follow(FILTER, synchronizing(), "title");
    for (int i = 0; i < 3; i++) {
      crew(ModificationType.ADD);
      replace(BOB, "title", "in " + i);
      assertThat(told()).containsExactly("MODIFY " + BOB);
      crew(ModificationType.DELETE);
      replace(BOB, "title", "out " + i);
      assertThat(told()).containsExactly("MODIFY " + BOB);
    }
  }

  @Test
  void shouldEndIfOtherRightsGiveMore() throws Exception {
    follow(FILTER, synchronizing(), "title", "street");
    replace(BOB, "street", "hidden");
    crew(ModificationType.ADD);
    LDAPMessage message = LDAPMessage.decode(ann.next());
    while (!(message.getProtocolOp() instanceof SearchResultDoneProtocolOp)) {
      message = LDAPMessage.decode(ann.next());
    }
    assertThat(message.getSearchResultDoneProtocolOp().getResultCode())
        .isEqualTo(ResultCode.E_SYNC_REFRESH_REQUIRED_INT_VALUE);
  }
}
