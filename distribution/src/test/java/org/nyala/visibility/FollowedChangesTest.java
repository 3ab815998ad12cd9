package org.nyala.visibility;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyDNRequest;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.controls.EntryChangeNotificationControl;
import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.TransactionSpecificationRequestControl;
import com.unboundid.ldap.sdk.extensions.EndTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedResult;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Follows changes of which some are hidden. */
class FollowedChangesTest extends FollowedChangesTestCase {
  private static final String RULES =
      """
      to attributes userPassword
        self may read, write
        anonymous may authenticate
      to attributes description, pwdFailureTime
        all may nothing
      to attributes mail value "secret@example.com"
        all may nothing
      to subtree "ou=secret,dc=example,dc=com"
        all may nothing
      to where (employeeType=spy)
        all may nothing
      to where (employeeType=shy) attributes title
        all may nothing
      to attributes employeeType
        all may nothing
      to all
        users may read
      """;

  @Override
  String rules() {
    return RULES;
  }

  @Override
  String configuration() {
    return "";
  }

  /** Makes changes of which the client may know nothing. */
  private void changeWhatIsHidden() throws Exception {
    guess(BOB);
    replace(BOB, "description", "hidden");
    replace(BOB, "mail", "secret@example.com");
    replace(BOB, "employeeType", "other");
    replace(SPY, "title", "hidden");
    root.add("dn: ou=x," + SECRET, "objectClass: organizationalUnit");
    root.add("dn: ou=y,ou=x," + SECRET, "objectClass: organizationalUnit");
    root.modifyDN("ou=x," + SECRET, "ou=z", true);
    root.delete("ou=y,ou=z," + SECRET);
    root.delete("ou=z," + SECRET);
    replace(BOB, "mail");
    replace(BOB, "description");
  }

  @Test
  void shouldTellNothingOfWhatIsHidden() throws Exception {
    follow(persistent(15), "cn", "mail", "title");
    changeWhatIsHidden();
    assertThat(told()).isEmpty();
    root.modify(
        BOB,
        new Modification(ModificationType.REPLACE, "description", "hidden"),
        new Modification(ModificationType.REPLACE, "title", "seen"));
    replace(BOB, "mail", "secret@example.com", "bob@example.com");
    assertThat(told()).containsExactly("modify " + BOB, "modify " + BOB);
    replace(BOB, "mail", "bob@example.com");
    assertThat(told()).isEmpty();
    replace(BOB, "employeeType", "shy");
    List<SearchResultEntry> changed = entries();
    assertThat(changed).hasSize(1);
    assertThat(changed.getFirst().hasAttribute("title")).isFalse();
    assertThat(changed.getFirst().hasAttribute("mail")).isTrue();
  }

  /** A client that asks for the marks of changes gets those that it may read. */
  @Test
  void shouldTellOfMarksThatAreAskedFor() throws Exception {
    follow(persistent(15), "cn", "modifyTimestamp");
    replace(BOB, "description", "hidden");
    assertThat(told()).containsExactly("modify " + BOB);
    guess(BOB);
    assertThat(told()).isEmpty();
  }

  @Test
  void shouldTellOfEntriesThatComeAndGoAsNewOnesAndGoneOnes() throws Exception {
    follow(persistent(15), "cn", "hasSubordinates");
    move(SPY, OPEN);
    String spy = "uid=spy," + OPEN;
    assertThat(told()).containsExactly("add " + spy);
    root.modifyDN(spy, "uid=agent", true);
    String agent = "uid=agent," + OPEN;
    assertThat(told()).containsExactly("moddn " + agent + " from " + spy);
    root.add("dn: ou=x," + agent, "objectClass: organizationalUnit");
    assertThat(told()).containsExactly("add ou=x," + agent);
    move(agent, SECRET);
    List<SearchResultEntry> gone = entries();
    assertThat(gone).hasSize(1);
    assertThat(gone.getFirst().getDN()).isEqualTo(agent);
    assertThat(gone.getFirst().getAttributeValue("cn")).isEqualTo("c");
    assertThat(gone.getFirst().getAttributeValue("hasSubordinates")).isEqualTo("FALSE");
    assertThat(EntryChangeNotificationControl.get(gone.getFirst()).getChangeType())
        .isEqualTo(PersistentSearchChangeType.DELETE);
    replace(BOB, "employeeType", "spy");
    replace(BOB, "title", "hidden");
    replace(BOB, "employeeType");
    assertThat(told()).containsExactly("delete " + BOB, "add " + BOB);
  }

  @Test
  void shouldTellOfKindsOfChangesAsTheClientSeesThem() throws Exception {
    follow(persistent(4 | 8), "cn");
    move(SPY, OPEN);
    move("uid=spy," + OPEN, SECRET);
    assertThat(told()).isEmpty();
    ann.close();
    ann = new RawClient(server, ANN, "secret");
    root.delete(JOINED);
    follow(persistent(1 | 2 | 4), "cn");
    move(SPY, OPEN);
    root.modifyDN("uid=spy," + OPEN, "uid=agent", true);
    move("uid=agent," + OPEN, SECRET);
    assertThat(told()).containsExactly("add uid=spy," + OPEN, "delete uid=agent," + OPEN);
  }

  /** Rights follow from the names that entries above had at the time of each change. */
  @Test
  void shouldJudgeEachImageByTheNamesOfItsTime() throws Exception {
    String hidden = "ou=team," + SECRET;
    String seen = "ou=team," + OPEN;
    root.add("dn: " + hidden, "objectClass: organizationalUnit");
    root.add("dn: uid=eve," + hidden, "objectClass: inetOrgPerson", "cn: c", "sn: s");
    follow(persistent(15), "cn");
    ASN1OctetString transaction =
        ((StartTransactionExtendedResult)
                root.processExtendedOperation(new StartTransactionExtendedRequest()))
            .getTransactionID();
    Control member = new TransactionSpecificationRequestControl(transaction);
    root.modify(replacing("uid=eve," + hidden, member));
    ModifyDNRequest move = new ModifyDNRequest(hidden, "ou=team", true, OPEN);
    move.addControl(member);
    root.modifyDN(move);
    root.modify(replacing("uid=eve," + seen, member));
    ModifyDNRequest back = new ModifyDNRequest(seen, "ou=team", true, SECRET);
    back.addControl(member);
    root.modifyDN(back);
    root.modify(replacing("uid=eve," + hidden, member));
    root.processExtendedOperation(new EndTransactionExtendedRequest(transaction, true));
    assertThat(told()).containsExactly("add " + seen, "modify uid=eve," + seen, "delete " + seen);
  }

  private ModifyRequest replacing(String name, Control member) {
    ModifyRequest modify =
        new ModifyRequest(name, new Modification(ModificationType.REPLACE, "title", "t" + ++marks));
    modify.addControl(member);
    return modify;
  }

  @Test
  void shouldSynchronizeWhatTheClientMaySee() throws Exception {
    follow(synchronizing(), "cn", "mail", "title");
    changeWhatIsHidden();
    assertThat(told()).isEmpty();
    replace(BOB, "title", "seen");
    move(SPY, OPEN);
    move("uid=spy," + OPEN, SECRET);
    replace(BOB, "employeeType", "spy");
    assertThat(told())
        .containsExactly(
            "MODIFY " + BOB, "ADD uid=spy," + OPEN, "DELETE uid=spy," + OPEN, "DELETE " + BOB);
  }
}
