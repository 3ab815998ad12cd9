package org.nyala.visibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.protocol.SearchRequestProtocolOp;
import com.unboundid.ldap.protocol.SearchResultDoneProtocolOp;
import com.unboundid.ldap.protocol.SearchResultEntryProtocolOp;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyDNRequest;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestMode;
import com.unboundid.ldap.sdk.controls.ContentSyncStateControl;
import com.unboundid.ldap.sdk.controls.EntryChangeNotificationControl;
import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import com.unboundid.ldap.sdk.controls.TransactionSpecificationRequestControl;
import com.unboundid.ldap.sdk.extensions.EndTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/** Follows changes as a client that may see some of what is changed. */
@Timeout(120)
class FollowedChangesTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String OPEN = "ou=open," + TOP;
  private static final String SECRET = "ou=secret," + TOP;
  private static final String POLICY = "cn=policy," + TOP;
  private static final String ANN = "uid=ann," + OPEN;
  private static final String BOB = "uid=bob," + OPEN;
  private static final String SPY = "uid=spy," + SECRET;
  private static final String MARK = "ou=mark," + TOP;
  private static final String JOINED = "ou=joined," + TOP;
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

  @TempDir Path folder;

  private RunningServer server;
  private LDAPConnection root;
  private RawClient ann;
  private int marks;

  @BeforeEach
  void start() throws Exception {
    Files.writeString(folder.resolve("access.rules"), RULES);
    Path file =
        ServerProcess.configure(
            folder,
            "access.rules = access.rules\npasswordPolicy.default = \"%s\"".formatted(POLICY));
    server = LocalServer.startFrom(file, folder);
    root = LocalServer.connectAsRoot(server);
    root.add("dn: " + TOP, "objectClass: domain", "dc: example");
    root.add(
        "dn: " + POLICY,
        "objectClass: device",
        "objectClass: pwdPolicy",
        "pwdAttribute: userPassword",
        "pwdLockout: TRUE",
        "pwdMaxFailure: 9");
    for (String name : List.of(OPEN, SECRET, MARK)) {
      root.add("dn: " + name, "objectClass: organizationalUnit");
    }
    for (String name : List.of(ANN, BOB, SPY)) {
      root.add(
          "dn: " + name, "objectClass: inetOrgPerson", "cn: c", "sn: s", "userPassword: secret");
    }
    ann = new RawClient(server, ANN, "secret");
  }

  @AfterEach
  void stop() throws Exception {
    ann.close();
    root.close();
    server.close();
  }

  /** Begins to follow; what is told from now on are changes. */
  private void follow(Control control, String... attributes) throws Exception {
    ann.send(
        new SearchRequestProtocolOp(
            TOP,
            SearchScope.SUB,
            DereferencePolicy.NEVER,
            0,
            0,
            false,
            Filter.create("(objectClass=*)"),
            List.of(attributes)),
        control);
    root.add("dn: " + JOINED, "objectClass: organizationalUnit");
    replace(JOINED, "l", "x");
    // It comes with the entries that were there, or as a change, or as both.
    while (!next().getDN().equals(JOINED)) {}
  }

  private SearchResultEntry next() throws Exception {
    while (true) {
      LDAPMessage message = LDAPMessage.decode(ann.next());
      if (message.getProtocolOp() instanceof SearchResultEntryProtocolOp entry) {
        return entry.toSearchResultEntry(message.getControls().toArray(new Control[0]));
      }
      assertThat(message.getProtocolOp()).isNotInstanceOf(SearchResultDoneProtocolOp.class);
    }
  }

  private static Control persistent(int types) {
    byte[] value = {0x30, 9, 2, 1, (byte) types, 1, 1, 0, 1, 1, -1};
    return new Control(
        PersistentSearchRequestControl.PERSISTENT_SEARCH_REQUEST_OID,
        true,
        new ASN1OctetString(value));
  }

  private static Control synchronizing() {
    return new ContentSyncRequestControl(ContentSyncRequestMode.REFRESH_AND_PERSIST);
  }

  /** Returns the entries that come up to a change that everybody may see, made now. */
  private List<SearchResultEntry> entries() throws Exception {
    replace(MARK, "l", Integer.toString(++marks));
    List<SearchResultEntry> told = new ArrayList<>();
    for (SearchResultEntry entry = next(); !entry.getDN().equals(MARK); entry = next()) {
      if (!entry.getDN().equals(JOINED)) {
        told.add(entry);
      }
    }
    return told;
  }

  /** Returns what is told of up to now, in words. */
  private List<String> told() throws Exception {
    List<String> told = new ArrayList<>();
    for (SearchResultEntry entry : entries()) {
      EntryChangeNotificationControl change = EntryChangeNotificationControl.get(entry);
      ContentSyncStateControl state = ContentSyncStateControl.get(entry);
      String kind =
          change != null
              ? change.getChangeType().getName()
              : state == null ? "none" : state.getState().name();
      String previous = change == null ? null : change.getPreviousDN();
      told.add(kind + " " + entry.getDN() + (previous == null ? "" : " from " + previous));
    }
    return told;
  }

  private void replace(String name, String attribute, String... values) throws LDAPException {
    root.modify(name, new Modification(ModificationType.REPLACE, attribute, values));
  }

  private void move(String name, String superior) throws LDAPException {
    root.modifyDN(name, name.substring(0, name.indexOf(',')), true, superior);
  }

  private void guess(String name) throws LDAPException {
    try (LDAPConnection guessing = LocalServer.connect(server)) {
      assertThatThrownBy(() -> guessing.bind(name, "wrong")).isInstanceOf(LDAPException.class);
    }
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
