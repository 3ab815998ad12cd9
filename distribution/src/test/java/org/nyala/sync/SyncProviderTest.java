package org.nyala.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.sync.RandomTree.TOP;

import com.unboundid.ldap.sdk.AddRequest;
import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPResult;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ContentSyncDoneControl;
import com.unboundid.ldap.sdk.controls.ServerSideSortRequestControl;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import com.unboundid.ldap.sdk.controls.SortKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.nyala.core.Patience;
import org.nyala.sync.SyncCopy.Content;

/** The answers of a provider to requests that it cannot serve as they are, and its bounds. */
class SyncProviderTest extends SyncTestCase {
  @Test
  void shouldRefuseWhatDoesNotGoTogether() throws Exception {
    requireRefused(request("(objectClass=*)", null, new SimplePagedResultsControl(10)), 2);
    requireRefused(
        request("(objectClass=*)", null, new ServerSideSortRequestControl(new SortKey("cn"))), 2);
    for (DereferencePolicy aliases :
        List.of(DereferencePolicy.ALWAYS, DereferencePolicy.SEARCHING)) {
      requireRefused(request(aliases, "(objectClass=*)", false, null), 2);
    }
    requireRefused(request(DereferencePolicy.NEVER, "(hasSubordinates=TRUE)", true, null), 53);
    requireRefused(request(DereferencePolicy.NEVER, "(ou:dn:=unit)", true, null), 53);
  }

  @Test
  void shouldEndAtOnceIfNothingHasChanged() throws Exception {
    SearchResult first = root.search(request("(objectClass=*)", null));
    assertThat(first.getEntryCount()).isEqualTo(4);
    ContentSyncDoneControl done = ContentSyncDoneControl.get(first);
    assertThat(done.refreshDeletes()).isFalse();
    SearchResult again = root.search(request("(objectClass=*)", cookieOf(first)));
    assertThat(again.getEntryCount()).isZero();
    assertThat(ContentSyncDoneControl.get(again).refreshDeletes()).isTrue();
    assertThat(cookieOf(again)).isEqualTo(cookieOf(first));
  }

  @Test
  void shouldTakeWhatIsNoCookieAsNone() throws Exception {
    for (String cookie :
        List.of("", "rid=001", "csn=x", "rid=1000,csn=x", "nonsense", "rid=001,csn=")) {
      assertThat(root.search(request("(objectClass=*)", cookie)).getEntryCount())
          .as(cookie)
          .isEqualTo(4);
    }
  }

  @Test
  void shouldGoOnFromCookiesWithNumbersOfOthers() throws Exception {
    String cookie = cookieOf(root.search(request("(objectClass=*)", null)));
    String ofOthers = cookie + ";20300101000000.000000Z#000000#fff#000000";
    modify(ANN, "title", "new");
    SearchResult result = root.search(request("(objectClass=*)", ofOthers));
    assertThat(result.getSearchEntries()).hasSize(1);
    assertThat(result.getSearchEntries().getFirst().getDN()).isEqualTo(ANN);
  }

  @Test
  void shouldRefuseACopyThatIsNewerThanItself() throws Exception {
    requireRefused(
        request("(objectClass=*)", "rid=001,csn=20990101000000.000000Z#000000#005#000000"), 53);
  }

  /** The provider of this server has gone back to a backup, or is behind that of the copy. */
  @Test
  void shouldRefuseACopyThatIsNewerThanWhatItHasOfAnotherServer() throws Exception {
    String other = "20200101000000.000000Z#000000#009#000000";
    AddRequest add =
        new AddRequest(
            "dn: ou=other," + TOP,
            "objectClass: organizationalUnit",
            "ou: other",
            "entryCSN: " + other);
    add.addControl(new Control("1.3.6.1.4.1.4203.666.5.12", true));
    root.add(add);
    String cookie = cookieOf(root.search(request("(objectClass=*)", null)));
    assertThat(cookie).contains(other);
    assertThat(root.search(request("(objectClass=*)", cookie)).getEntryCount()).isZero();
    requireRefused(request("(objectClass=*)", cookie.replace("20200101", "20200102")), 53);
  }

  @Test
  void shouldKeepHiddenAttributesFromAReaderOfAllEntries() throws Exception {
    Listening reader = new Listening(connect(READER, "secret"), ALL);
    addPerson("new", UNIT);
    modify(ANN, "userPassword", "another");
    modify(ANN, "description", "changed");
    assertThat(reader.await(ANN, "description", "changed").attributes())
        .doesNotContainKey("userpassword");
    assertThat(reader.held("uid=new," + UNIT).attributes()).doesNotContainKey("userpassword");
    String cookie = reader.copy.state().cookie();
    modify(ANN, "userPassword", "third");
    SearchResult polled = connect(READER, "secret").search(request("(objectClass=*)", cookie));
    assertThat(polled.getSearchEntries())
        .isNotEmpty()
        .allMatch(entry -> !entry.hasAttribute("userPassword"));
    assertThat(reader.copy.faults()).isEmpty();
  }

  @Test
  void shouldDeleteWhatTheReaderMayNoLongerSee() throws Exception {
    Listening reader = new Listening(connect(READER, "secret"), ALL);
    modify(ANN, "title", "secret");
    eventually("it is gone", () -> reader.held(ANN) == null);
    modify(ANN, "title", "open");
    reader.await(ANN, "title", "open");
    assertThat(reader.copy.faults()).isEmpty();
  }

  @Test
  void shouldBeginAnewWhenTheRightsHaveChanged() throws Exception {
    root.add("dn: " + STAFF, "objectClass: groupOfNames", "cn: staff", "member: " + ANN);
    modify(ANN, "title", "secret");
    Listening reader = new Listening(connect(READER, "secret"), ALL);
    assertThat(reader.held(ANN)).isNull();
    root.modify(STAFF, new Modification(ModificationType.ADD, "member", READER));
    LDAPResult ended = reader.end();
    assertThat(ended.getResultCode().intValue()).isEqualTo(4096);
    assertThat(cookieOf(ended)).isNull();
    assertThat(new Listening(connect(READER, "secret"), ALL).held(ANN)).isNotNull();
  }

  /** Groups may be hidden from the reader. */
  @Test
  void shouldGoOnWhenGroupsChangeThatGiveNoOtherRights() throws Exception {
    root.add("dn: " + STAFF, "objectClass: groupOfNames", "cn: staff", "member: " + ANN);
    Listening reader = new Listening(connect(READER, "secret"), ALL);
    root.modify(STAFF, new Modification(ModificationType.ADD, "member", UNIT));
    modify(ANN, "title", "told");
    reader.await(ANN, "title", "told");
    assertThat(reader.copy.faults()).isEmpty();
  }

  @Test
  void shouldEndWhenTheBaseGetsAnotherName() throws Exception {
    Listening reader =
        new Listening(
            connect("cn=admin", "admin"), new Content(UNIT, SearchScope.SUB, "(objectClass=*)"));
    root.modifyDN(UNIT, "ou=other", true);
    LDAPResult ended = reader.end();
    assertThat(ended.getResultCode().intValue()).isEqualTo(4096);
    assertThat(cookieOf(ended)).isNull();
  }

  @Test
  void shouldTellAClientWithTheNumberOfTheServer() throws Exception {
    String cookie = cookieOf(root.search(request("(objectClass=*)", null)));
    assertThat(cookie).startsWith("rid=000,csn=");
    SyncCopy copy = new SyncCopy(ALL);
    copy.restore(new SyncCopy.State(Map.of(), cookie.replace(",csn", ",sid=005,csn")));
    LDAPConnection connection = connect("cn=admin", "admin");
    Thread thread = Thread.ofPlatform().start(() -> runQuietly(copy, connection));
    eventually("it listens", copy::isRefreshed);
    modify(ANN, "title", "told");
    eventually("it is told", () -> copy.received() == 1);
    connection.close();
    Patience.join(thread);
    assertThat(copy.faults()).isEmpty();
  }

  private static void runQuietly(SyncCopy copy, LDAPConnection connection) {
    try {
      copy.run(connection, true);
    } catch (LDAPException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldEndRefreshesBeyondLimitsWithAnError() throws Exception {
    SearchRequest request = request("(objectClass=*)", null);
    request.setSizeLimit(3);
    requireRefused(request, 4);
    String cookie = cookieOf(root.search(request("(objectClass=*)", null)));
    modify(ANN, "title", "a");
    modify(READER, "title", "a");
    SearchRequest update = request("(objectClass=*)", cookie);
    update.setSizeLimit(1);
    requireRefused(update, 4);
  }

  @Test
  void shouldSendALargeGroupOnceForManyChanges() throws Exception {
    List<String> members = new ArrayList<>();
    for (int i = 0; i < 5000; i++) {
      members.add("uid=member" + i + "," + TOP);
    }
    root.add(
        STAFF,
        new Attribute("objectClass", "groupOfNames"),
        new Attribute("cn", "staff"),
        new Attribute("member", members));
    Stalled stalled = new Stalled();
    SearchRequest persistent =
        new SearchRequest(
            stalled, TOP, SearchScope.SUB, DereferencePolicy.NEVER, 0, 0, false, "(cn=staff)", "*");
    persistent.setControls(
        request(DereferencePolicy.NEVER, "(cn=staff)", true, null).getControls());
    LDAPConnection connection = connect("cn=admin", "admin");
    AsyncRequestID id = connection.asyncSearch(persistent);
    Patience.await(stalled.begun);
    for (int i = 0; i < 300; i++) {
      root.modify(
          STAFF, new Modification(ModificationType.ADD, "member", "uid=more" + i + "," + TOP));
    }
    stalled.go.countDown();
    eventually("all members are there", () -> stalled.largest == 5300);
    assertThat(id.isCancelled()).isFalse();
    // The buffers of the connection took some, and the last one.
    assertThat(stalled.entries.get()).isLessThan(200);
  }

  @Test
  void shouldGiveBackToAFollowerThatFallsBehindItsCookie() throws Exception {
    restart(", limits.persistentSearchBytes = 65536");
    Stalled stalled = new Stalled();
    LDAPConnection connection = connect("cn=admin", "admin");
    SearchRequest persistent =
        new SearchRequest(
            stalled, TOP, SearchScope.SUB, DereferencePolicy.NEVER, 0, 0, false, "(uid=ann)", "*");
    persistent.setControls(request(DereferencePolicy.NEVER, "(uid=ann)", true, null).getControls());
    AsyncRequestID id = connection.asyncSearch(persistent);
    Patience.await(stalled.begun);
    String filling = "x".repeat(60_000);
    // More than the buffers of a connection hold.
    for (int i = 0; i < 400; i++) {
      modify(ANN, "description", filling + i);
    }
    stalled.go.countDown();
    LDAPResult result = stalled.results.poll(60, TimeUnit.SECONDS);
    assertThat(id.isCancelled()).isFalse();
    assertThat(result.getResultCode().intValue()).isEqualTo(4096);
    assertThat(cookieOf(result)).startsWith("rid=000,csn=");
    SearchResult update = root.search(request("(objectClass=*)", cookieOf(result)));
    assertThat(update.getSearchEntries()).extracting(entry -> entry.getDN()).containsExactly(ANN);
  }
}
