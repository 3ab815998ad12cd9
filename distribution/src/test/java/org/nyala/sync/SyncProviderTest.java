package org.nyala.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;
import static org.nyala.sync.RandomTree.TOP;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.AsyncSearchResultListener;
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
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ContentSyncDoneControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestMode;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import com.unboundid.ldap.sdk.controls.ServerSideSortRequestControl;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import com.unboundid.ldap.sdk.controls.SortKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Patience;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;
import org.nyala.sync.SyncCopy.Content;
import org.nyala.sync.SyncCopy.Held;

/** The answers of a provider to requests that it cannot serve as they are, and its bounds. */
@Timeout(300)
class SyncProviderTest {
  private static final String UNIT = "ou=unit," + TOP;
  private static final String ANN = "uid=ann," + UNIT;
  private static final String READER = "uid=reader," + TOP;
  private static final String STAFF = "cn=staff," + TOP;
  private static final String RULES =
      """
      people staff = group "cn=staff,dc=example,dc=com"
      to attributes userPassword
        anonymous may authenticate
      to where (title=secret)
        staff may read
        all may nothing
      to all
        all may read
      """;
  private static final Content ALL = new Content(TOP, SearchScope.SUB, "(objectClass=*)");

  @TempDir Path folder;

  private final List<LDAPConnection> opened = new ArrayList<>();
  private RunningServer server;
  private LDAPConnection root;

  @BeforeEach
  void start() throws Exception {
    serve("");
    root.add("dn: " + TOP, "objectClass: domain", "dc: example");
    root.add("dn: " + UNIT, "objectClass: organizationalUnit", "ou: unit");
    addPerson("ann", UNIT);
    addPerson("reader", TOP);
  }

  private void serve(String more) throws Exception {
    Files.writeString(folder.resolve("access.rules"), RULES);
    Path file =
        ServerProcess.configure(
            folder,
            "access.rules = access.rules, serverId = 5, password.upgradeAtBind = false" + more);
    server = LocalServer.startFrom(file, folder);
    root = LocalServer.connectAsRoot(server);
  }

  private void restart(String more) throws Exception {
    stop();
    serve(more);
  }

  @AfterEach
  void stop() {
    opened.forEach(LDAPConnection::close);
    root.close();
    server.close();
  }

  private void addPerson(String uid, String parent, String... more) throws Exception {
    List<String> ldif = new ArrayList<>();
    ldif.add("dn: uid=" + uid + "," + parent);
    ldif.addAll(List.of("objectClass: inetOrgPerson", "uid: " + uid, "cn: P", "sn: P"));
    ldif.add("userPassword: secret");
    ldif.addAll(List.of(more));
    root.add(ldif.toArray(String[]::new));
  }

  private void modify(String name, String attribute, String... values) throws LDAPException {
    root.modify(name, new Modification(ModificationType.REPLACE, attribute, values));
  }

  private LDAPConnection connect(String dn, String password) throws LDAPException {
    LDAPConnection connection = LocalServer.connect(server);
    opened.add(connection);
    connection.bind(dn, password);
    return connection;
  }

  private static SearchRequest request(String filter, String cookie, Control... more)
      throws LDAPException {
    return request(DereferencePolicy.NEVER, filter, false, cookie, more);
  }

  private static SearchRequest request(
      DereferencePolicy aliases, String filter, boolean persistent, String cookie, Control... more)
      throws LDAPException {
    SearchRequest request =
        new SearchRequest(TOP, SearchScope.SUB, aliases, 0, 0, false, filter, "*", "+");
    List<Control> controls = new ArrayList<>(List.of(more));
    controls.add(
        new ContentSyncRequestControl(
            persistent
                ? ContentSyncRequestMode.REFRESH_AND_PERSIST
                : ContentSyncRequestMode.REFRESH_ONLY,
            cookie == null ? null : new ASN1OctetString(cookie),
            false));
    controls.add(new ManageDsaITRequestControl(true));
    request.setControls(controls.toArray(Control[]::new));
    return request;
  }

  private void requireRefused(SearchRequest request, int code) {
    assertThatThrownBy(() -> root.search(request))
        .isInstanceOfSatisfying(
            LDAPException.class,
            e -> assertThat(e.getResultCode().intValue()).as(e.toString()).isEqualTo(code));
  }

  /** A copy that is kept up to date. */
  private static final class Listening {
    final SyncCopy copy = new SyncCopy(ALL);
    final Thread thread;
    volatile LDAPResult result;

    Listening(LDAPConnection connection, Content content) {
      SyncCopy kept = content == ALL ? copy : new SyncCopy(content);
      thread =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      result = kept.run(connection, true);
                    } catch (LDAPException e) {
                      result = e.toLDAPResult();
                    }
                  });
      eventually("it listens", () -> kept.isRefreshed() || result != null);
    }

    LDAPResult end() {
      Patience.join(thread);
      return result;
    }

    Held await(String name, String attribute, String value) {
      eventually(
          name + " has " + value,
          () -> {
            Held held = held(name);
            return held != null
                && held.attributes().getOrDefault(attribute, Set.of()).contains(value);
          });
      return held(name);
    }

    Held held(String name) {
      for (Held each : copy.state().entries().values()) {
        if (each.name().toString().equals(name)) {
          return each;
        }
      }
      return null;
    }
  }

  private static String cookieOf(LDAPResult result) throws LDAPException {
    ContentSyncDoneControl done = ContentSyncDoneControl.get(result);
    return done == null || done.getCookie() == null ? null : done.getCookie().stringValue();
  }

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

  /** A client that does not read until it may. */
  @SuppressWarnings("serial")
  private static final class Stalled implements AsyncSearchResultListener {
    final CountDownLatch go = new CountDownLatch(1);
    final LinkedBlockingQueue<LDAPResult> results = new LinkedBlockingQueue<>();
    final AtomicInteger entries = new AtomicInteger();
    volatile int largest;

    @Override
    public void searchEntryReturned(SearchResultEntry entry) {
      Patience.await(go);
      String[] members = entry.getAttributeValues("member");
      largest = members == null ? 0 : members.length;
      entries.incrementAndGet();
    }

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {
      Patience.await(go);
    }

    @Override
    public void searchResultReceived(AsyncRequestID id, SearchResult result) {
      results.add(result);
    }
  }
}
