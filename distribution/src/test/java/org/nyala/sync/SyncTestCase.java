package org.nyala.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;
import static org.nyala.sync.RandomTree.TOP;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.AsyncSearchResultListener;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Patience;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;
import org.nyala.sync.SyncCopy.Content;
import org.nyala.sync.SyncCopy.Held;

/** A provider with a few entries, and its clients. */
@Timeout(300)
abstract class SyncTestCase {
  static final String UNIT = "ou=unit," + TOP;
  static final String ANN = "uid=ann," + UNIT;
  static final String READER = "uid=reader," + TOP;
  static final String STAFF = "cn=staff," + TOP;
  static final String RULES =
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
  static final Content ALL = new Content(TOP, SearchScope.SUB, "(objectClass=*)");

  @TempDir Path folder;

  private final List<LDAPConnection> opened = new ArrayList<>();
  RunningServer server;
  LDAPConnection root;

  @BeforeEach
  void start() throws Exception {
    serve("");
    root.add("dn: " + TOP, "objectClass: domain", "dc: example");
    root.add("dn: " + UNIT, "objectClass: organizationalUnit", "ou: unit");
    addPerson("ann", UNIT);
    addPerson("reader", TOP);
  }

  void serve(String more) throws Exception {
    Files.writeString(folder.resolve("access.rules"), RULES);
    Path file =
        ServerProcess.configure(
            folder,
            "access.rules = access.rules, serverId = 5, password.upgradeAtBind = false" + more);
    server = LocalServer.startFrom(file, folder);
    root = LocalServer.connectAsRoot(server);
  }

  void restart(String more) throws Exception {
    stop();
    serve(more);
  }

  @AfterEach
  void stop() {
    opened.forEach(LDAPConnection::close);
    root.close();
    server.close();
  }

  void addPerson(String uid, String parent, String... more) throws Exception {
    List<String> ldif = new ArrayList<>();
    ldif.add("dn: uid=" + uid + "," + parent);
    ldif.addAll(List.of("objectClass: inetOrgPerson", "uid: " + uid, "cn: P", "sn: P"));
    ldif.add("userPassword: secret");
    ldif.addAll(List.of(more));
    root.add(ldif.toArray(String[]::new));
  }

  void modify(String name, String attribute, String... values) throws LDAPException {
    root.modify(name, new Modification(ModificationType.REPLACE, attribute, values));
  }

  LDAPConnection connect(String dn, String password) throws LDAPException {
    LDAPConnection connection = LocalServer.connect(server);
    opened.add(connection);
    connection.bind(dn, password);
    return connection;
  }

  static SearchRequest request(String filter, String cookie, Control... more) throws LDAPException {
    return request(DereferencePolicy.NEVER, filter, false, cookie, more);
  }

  static SearchRequest request(
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

  void requireRefused(SearchRequest request, int code) {
    assertThatThrownBy(() -> root.search(request))
        .isInstanceOfSatisfying(
            LDAPException.class,
            e -> assertThat(e.getResultCode().intValue()).as(e.toString()).isEqualTo(code));
  }

  /** A copy that is kept up to date. */
  static final class Listening {
    final LDAPConnection connection;
    final SyncCopy copy;
    final Thread thread;
    volatile LDAPResult result;

    Listening(LDAPConnection connection, Content content) {
      this(connection, content, new SyncCopy.State(Map.of(), null));
    }

    Listening(LDAPConnection connection, Content content, SyncCopy.State state) {
      this.connection = connection;
      copy = new SyncCopy(content);
      copy.restore(state);
      thread =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      result = copy.run(connection, true);
                    } catch (LDAPException e) {
                      result = e.toLDAPResult();
                    }
                  });
      eventually("it listens", () -> copy.isRefreshed() || result != null);
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

  static String cookieOf(LDAPResult result) throws LDAPException {
    ContentSyncDoneControl done = ContentSyncDoneControl.get(result);
    return done == null || done.getCookie() == null ? null : done.getCookie().stringValue();
  }

  /** A client that does not read until it may. */
  @SuppressWarnings("serial")
  static final class Stalled implements AsyncSearchResultListener {
    final CountDownLatch go = new CountDownLatch(1);

    /** Open once the first entry has come. */
    final CountDownLatch begun = new CountDownLatch(1);

    final LinkedBlockingQueue<LDAPResult> results = new LinkedBlockingQueue<>();
    final AtomicInteger entries = new AtomicInteger();
    volatile int largest;

    @Override
    public void searchEntryReturned(SearchResultEntry entry) {
      begun.countDown();
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
