package org.nyala.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.sync.RandomTree.TOP;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ContentSyncState;
import com.unboundid.ldap.sdk.controls.ContentSyncStateControl;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.nyala.sync.SyncCopy.Content;

/** The entries that are in a copy and leave it: subentries, referrals, groups, other contexts. */
class SyncContentTest extends SyncTestCase {
  private static final String POLICY = "cn=policy," + TOP;
  private static final String AWAY = "ou=away," + UNIT;
  private static final String URL = "ldap://elsewhere.example.com/ou=away,dc=example,dc=com";

  private void addSpecial() throws Exception {
    root.add(
        "dn: " + POLICY,
        "objectClass: subentry",
        "objectClass: extensibleObject",
        "cn: policy",
        "subtreeSpecification: {}");
    root.add(
        "dn: " + AWAY,
        "objectClass: referral",
        "objectClass: extensibleObject",
        "ou: away",
        "ref: " + URL);
  }

  private void modifyReferral(String description) throws LDAPException {
    root.modify(
        new ModifyRequest(
            AWAY,
            List.of(new Modification(ModificationType.REPLACE, "description", description)),
            new Control[] {new ManageDsaITRequestControl(true)}));
  }

  private static SearchRequest without(String cookie) throws LDAPException {
    SearchRequest request = request("(objectClass=*)", cookie);
    request.setControls(
        Arrays.stream(request.getControls())
            .filter(control -> !(control instanceof ManageDsaITRequestControl))
            .toArray(Control[]::new));
    return request;
  }

  @Test
  void shouldCopySubentriesAndReferralObjectsForManagers() throws Exception {
    addSpecial();
    Listening manager = new Listening(connect("cn=admin", "admin"), ALL);
    assertThat(manager.held(POLICY)).isNotNull();
    assertThat(manager.held(AWAY).attributes().get("ref")).containsExactly(URL);
    modify(POLICY, "description", "other");
    modifyReferral("other");
    manager.await(POLICY, "description", "other");
    manager.await(AWAY, "description", "other");
    assertThat(manager.copy.faults()).isEmpty();
  }

  @Test
  void shouldReferOthersWithTheIdentifierOfTheReferral() throws Exception {
    addSpecial();
    SearchResult first = root.search(without(null));
    assertThat(first.getSearchEntries()).extracting(entry -> entry.getDN()).doesNotContain(POLICY);
    UUID uuid = requireReference(first);
    modifyReferral("other");
    assertThat(requireReference(root.search(without(cookieOf(first))))).isEqualTo(uuid);
  }

  private static UUID requireReference(SearchResult result) throws LDAPException {
    assertThat(result.getSearchEntries()).extracting(entry -> entry.getDN()).doesNotContain(AWAY);
    assertThat(result.getSearchReferences()).hasSize(1);
    ContentSyncStateControl state =
        ContentSyncStateControl.get(result.getSearchReferences().getFirst());
    assertThat(state.getState()).isEqualTo(ContentSyncState.ADD);
    return state.getEntryUUID();
  }

  @Test
  void shouldDeleteLargeGroupsThatNoLongerMatch() throws Exception {
    List<String> members = new ArrayList<>();
    for (int i = 0; i < 5000; i++) {
      members.add("uid=member" + i + "," + TOP);
    }
    for (String name : List.of("staff", "crew")) {
      root.add(
          "cn=" + name + "," + TOP,
          new Attribute("objectClass", "groupOfNames"),
          new Attribute("cn", name),
          new Attribute("member", members));
    }
    String filter = "(member=" + members.get(7) + ")";
    Listening reader =
        new Listening(connect("cn=admin", "admin"), new Content(TOP, SearchScope.SUB, filter));
    assertThat(reader.copy.state().entries()).hasSize(2);
    root.modify(STAFF, new Modification(ModificationType.DELETE, "member", members.get(7)));
    root.delete("cn=crew," + TOP);
    eventually("both are gone", () -> reader.copy.state().entries().isEmpty());
  }

  @Test
  void shouldGoOnInAContextBesideABusyOne() throws Exception {
    restart(", suffixes = [\"dc=example,dc=com\", \"dc=busy\"], store.journalChanges = 1");
    root.add("dn: dc=busy", "objectClass: domain", "dc: busy");
    String cookie = cookieOf(root.search(request("(objectClass=*)", null)));
    for (int i = 0; i < 1000; i++) {
      modify("dc=busy", "description", "d" + i);
    }
    Listening quiet = new Listening(connect("cn=admin", "admin"), ALL);
    assertThat(quiet.copy.received()).isEqualTo(4);
    SyncCopy.State state = quiet.copy.state();
    quiet.connection.close();
    quiet.end();
    assertThat(state.cookie()).isEqualTo(cookie);
    Listening again = new Listening(connect("cn=admin", "admin"), ALL, state);
    assertThat(again.copy.received()).isZero();
    modify(ANN, "description", "new");
    again.await(ANN, "description", "new");
    assertThat(again.copy.faults()).isEmpty();
  }

  @Test
  void shouldEndTheSearchOfARootThatIsNoLongerOne() throws Exception {
    Listening former = new Listening(connect("cn=admin", "admin"), ALL);
    Path file = folder.resolve("test.conf");
    Files.writeString(
        file, Files.readString(file).replace("dn = \"cn=admin\"", "dn = \"cn=other\""));
    assertThat(server.served().control().reload().needRestart()).isEmpty();
    assertThat(former.end().getResultCode()).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
  }
}
