package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.AddRequest;
import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.AsyncSearchResultListener;
import com.unboundid.ldap.sdk.DeleteRequest;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyDNRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.AssertionRequestControl;
import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import com.unboundid.ldap.sdk.controls.PostReadRequestControl;
import com.unboundid.ldap.sdk.controls.PostReadResponseControl;
import com.unboundid.ldap.sdk.controls.PreReadRequestControl;
import com.unboundid.ldap.sdk.controls.PreReadResponseControl;
import com.unboundid.ldap.sdk.controls.ProxiedAuthorizationV2RequestControl;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.LocalServer;
import org.nyala.process.Processes;
import org.nyala.process.ServerProcess;

/** Serves clients by access rules: groups that change, standing searches, passwords, limits. */
@Timeout(300)
class RuledServerTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String CLOSED = "ou=closed," + TOP;
  private static final String ANN = "uid=ann," + TOP;
  private static final String READERS = "cn=readers," + TOP;
  private static final String INNER = "cn=inner," + TOP;
  private static final String DESK = "ou=desk," + TOP;
  private static final String PEN = "cn=pen," + DESK;
  private static final String NOBODY = "cn=nobody," + TOP;
  private static final String RULES =
      """
      people readers = group "cn=readers,dc=example,dc=com" nested
      limit anonymous entries 2, inFlight 1
      limit readers pageSize 1
      to attributes userPassword
        self may read, write
        anonymous may authenticate
      to subtree "ou=closed,dc=example,dc=com"
        readers may read
      to subtree "ou=desk,dc=example,dc=com" attributes employeeNumber
        all may nothing
      to subtree "ou=desk,dc=example,dc=com"
        users may read, write
      to all
        all may read
      """;

  @TempDir Path folder;

  private RunningServer server;
  private LDAPConnection root;
  private LDAPConnection ann;

  @BeforeEach
  void start() throws Exception {
    Files.writeString(folder.resolve("access.rules"), RULES);
    Path file = ServerProcess.configure(folder, "access.rules = access.rules");
    server = LocalServer.startFrom(file, folder);
    root = LocalServer.connectAsRoot(server);
    root.add("dn: " + TOP, "objectClass: domain", "dc: example");
    root.add("dn: " + CLOSED, "objectClass: organizationalUnit", "ou: closed");
    root.add(
        "dn: " + ANN, "objectClass: inetOrgPerson", "cn: Ann", "sn: A", "userPassword: secret");
    root.add("dn: " + INNER, "objectClass: groupOfNames", "cn: inner", "member: " + NOBODY);
    root.add("dn: " + READERS, "objectClass: groupOfNames", "cn: readers", "member: " + INNER);
    ann = LocalServer.connect(server);
    ann.bind(ANN, "secret");
  }

  @AfterEach
  void stop() {
    ann.close();
    root.close();
    server.close();
  }

  private void member(ModificationType type, String group, String member) throws LDAPException {
    root.modify(group, new Modification(type, "member", member));
  }

  private boolean sees(String name) throws LDAPException {
    return ann.getEntry(name) != null;
  }

  @Test
  void shouldKnowGroupsAsTheyAreForTheNextOperation() throws Exception {
    assertThat(sees(CLOSED)).isFalse();
    for (int i = 0; i < 20; i++) {
      member(ModificationType.ADD, INNER, ANN);
      assertThat(sees(CLOSED)).isTrue();
      member(ModificationType.DELETE, INNER, ANN);
      assertThat(sees(CLOSED)).isFalse();
    }
    member(ModificationType.ADD, READERS, ANN);
    assertThat(sees(CLOSED)).isTrue();
    root.modifyDN(READERS, "cn=others", true);
    assertThat(sees(CLOSED)).isFalse();
    root.modifyDN("cn=others," + TOP, "cn=readers", true);
    assertThat(sees(CLOSED)).isTrue();
    root.delete(READERS);
    assertThat(sees(CLOSED)).isFalse();
  }

  /** Collects the names of the entries of a search that goes on. */
  @SuppressWarnings("serial") // Never written.
  private static final class Changes implements AsyncSearchResultListener {
    final BlockingQueue<String> names = new LinkedBlockingQueue<>();

    @Override
    public void searchEntryReturned(SearchResultEntry entry) {
      names.add(entry.getDN());
    }

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {}

    @Override
    public void searchResultReceived(AsyncRequestID id, SearchResult result) {
      names.add("end");
    }

    String next() throws InterruptedException {
      return names.poll(30, TimeUnit.SECONDS);
    }
  }

  private void unit(String name, String parent) throws Exception {
    root.add("dn: ou=" + name + "," + parent, "objectClass: organizationalUnit", "ou: " + name);
  }

  @Test
  void shouldFollowOnlyChangesThatTheClientMaySee() throws Exception {
    Changes changes = new Changes();
    SearchRequest following = following(changes);
    AsyncRequestID id = ann.asyncSearch(following);
    unit("first", TOP);
    while (changes.names.isEmpty()) {
      // The search has joined when it tells of a change.
      root.modify(
          "ou=first," + TOP, new Modification(ModificationType.REPLACE, "description", "x"));
    }
    changes.names.clear();
    unit("hidden", CLOSED);
    unit("second", TOP);
    assertThat(nextOf(changes, "first")).isEqualTo("ou=second," + TOP);
    member(ModificationType.ADD, INNER, ANN);
    unit("seen", CLOSED);
    assertThat(changes.next()).isEqualTo("ou=seen," + CLOSED);
    member(ModificationType.DELETE, INNER, ANN);
    unit("hidden again", CLOSED);
    unit("third", TOP);
    assertThat(changes.next()).isEqualTo("ou=third," + TOP);
    ann.abandon(id);
  }

  /** The right to act as another is asked for again when groups change. */
  @Test
  void shouldEndStandingSearchesOfThoseWhoNoLongerActAsOthers() throws Exception {
    Files.writeString(
        folder.resolve("access.rules"),
        "to all\n  group \"%s\" nested may proxy, read, authenticate\n  users may read\n"
            .formatted(READERS));
    assertThat(server.served().control().reload().tookEffect()).isNotEmpty();
    member(ModificationType.ADD, INNER, ANN);
    Changes changes = new Changes();
    SearchRequest following = following(changes);
    following.addControl(new ProxiedAuthorizationV2RequestControl("dn:" + DESK));
    AsyncRequestID id = ann.asyncSearch(following);
    unit("first", TOP);
    while (changes.names.isEmpty()) {
      root.modify(
          "ou=first," + TOP, new Modification(ModificationType.REPLACE, "description", "x"));
    }
    member(ModificationType.DELETE, INNER, ANN);
    unit("second", TOP);
    assertThat(id.get(30, TimeUnit.SECONDS).getResultCode())
        .isEqualTo(ResultCode.AUTHORIZATION_DENIED);
    assertThat(changes.names).noneMatch(name -> name.contains("second"));
  }

  private static SearchRequest following(Changes changes) throws LDAPException {
    SearchRequest request =
        new SearchRequest(changes, TOP, SearchScope.SUB, "(objectClass=organizationalUnit)");
    request.addControl(
        new PersistentSearchRequestControl(
            PersistentSearchChangeType.allChangeTypes(), true, false));
    return request;
  }

  private static String nextOf(Changes changes, String besides) throws InterruptedException {
    String next = changes.next();
    while (next.contains(besides)) {
      next = changes.next();
    }
    return next;
  }

  @Test
  void shouldShowPasswordsByRulesThatNameThem() throws Exception {
    assertThat(ann.getEntry(ANN, "userPassword").getAttributeValue("userPassword")).startsWith("{");
    assertThat(ann.searchForEntry(TOP, SearchScope.SUB, "(userPassword=*)").getDN()).isEqualTo(ANN);
    Files.writeString(folder.resolve("access.rules"), "to all\n  all may read, authenticate\n");
    assertThat(server.served().control().reload().tookEffect()).isNotEmpty();
    assertThat(ann.getEntry(ANN, "userPassword", "cn").hasAttribute("cn")).isTrue();
    assertThat(ann.getEntry(ANN, "userPassword").hasAttribute("userPassword")).isFalse();
    assertThat(ann.searchForEntry(TOP, SearchScope.SUB, "(userPassword=*)")).isNull();
  }

  @Test
  void shouldLimitUsersByWhoTheyAre() throws Exception {
    try (LDAPConnection stranger = LocalServer.connect(server)) {
      assertThatThrownBy(() -> stranger.search(TOP, SearchScope.SUB, "(objectClass=*)"))
          .isInstanceOfSatisfying(
              LDAPSearchException.class,
              e -> {
                assertThat(e.getResultCode()).isEqualTo(ResultCode.SIZE_LIMIT_EXCEEDED);
                assertThat(e.getEntryCount()).isEqualTo(2);
              });
    }
    member(ModificationType.ADD, INNER, ANN);
    SearchRequest paged = new SearchRequest(TOP, SearchScope.SUB, "(objectClass=*)");
    List<String> found = new ArrayList<>();
    ASN1OctetString cookie = null;
    do {
      paged.setControls(new SimplePagedResultsControl(100, cookie));
      SearchResult page = ann.search(paged);
      assertThat(page.getEntryCount()).isLessThanOrEqualTo(1);
      page.getSearchEntries().forEach(entry -> found.add(entry.getDN()));
      cookie = SimplePagedResultsControl.get(page).getCookie();
    } while (cookie != null && cookie.getValueLength() > 0);
    assertThat(found).containsExactly(TOP, CLOSED, ANN, INNER, READERS);
  }

  @Test
  void shouldDecideAboutChangesAndWhatTheyTell() throws Exception {
    root.add("dn: " + DESK, "objectClass: organizationalUnit", "ou: desk");
    AddRequest add =
        new AddRequest(
            "dn: " + PEN, "objectClass: inetOrgPerson", "cn: pen", "sn: p", "description: blue");
    add.addControl(new PostReadRequestControl(true, "*"));
    Entry added = PostReadResponseControl.get(ann.add(add)).getEntry();
    assertThat(added.getAttributeValue("description")).isEqualTo("blue");
    root.modify(PEN, new Modification(ModificationType.REPLACE, "employeeNumber", "7"));
    ModifyDNRequest rename = new ModifyDNRequest(PEN, "cn=pencil", true);
    rename.addControl(new PreReadRequestControl(true, "cn", "employeeNumber"));
    Entry before = PreReadResponseControl.get(ann.modifyDN(rename)).getEntry();
    assertThat(before.getAttributeValue("cn")).isEqualTo("pen");
    assertThat(before.hasAttribute("employeeNumber")).isFalse();
    String pencil = PEN.replace("cn=pen", "cn=pencil");
    assertRefused(
        ResultCode.INSUFFICIENT_ACCESS_RIGHTS,
        () -> ann.modify(pencil, new Modification(ModificationType.DELETE, "employeeNumber")));
    DeleteRequest delete = new DeleteRequest(pencil);
    delete.addControl(new AssertionRequestControl("(description=blue)"));
    delete.addControl(new PreReadRequestControl(true, "*"));
    Entry deleted = PreReadResponseControl.get(ann.delete(delete)).getEntry();
    assertThat(deleted.getDN()).isEqualTo(pencil);
    assertThat(deleted.getAttributeValues("description")).containsExactly("blue");
    assertThat(deleted.hasAttribute("employeeNumber")).isFalse();
    assertRefused(ResultCode.NO_SUCH_OBJECT, () -> ann.delete(CLOSED));
    assertRefused(ResultCode.INSUFFICIENT_ACCESS_RIGHTS, () -> ann.delete(INNER));
    assertRefused(
        ResultCode.INSUFFICIENT_ACCESS_RIGHTS,
        () -> ann.add("dn: ou=new," + TOP, "objectClass: organizationalUnit", "ou: new"));
    ann.processExtendedOperation(new PasswordModifyExtendedRequest(null, "secret", "other"));
    ann.bind(ANN, "other");
  }

  private static void assertRefused(ResultCode code, ThrowingCallable request) {
    assertThatThrownBy(request)
        .isInstanceOfSatisfying(
            LDAPException.class, e -> assertThat(e.getResultCode()).isEqualTo(code));
  }

  @Test
  void shouldServeTheToolsOfOpenLdap() throws Exception {
    String url = "ldap://127.0.0.1:" + ann.getConnectedPort();
    List<String> asAnn =
        List.of("ldapsearch", "-x", "-LLL", "-H", url, "-D", ANN, "-w", "secret", "-b", CLOSED);
    Processes.Result hidden = Processes.run(folder, Map.of(), asAnn);
    assertThat(hidden.exitCode()).isEqualTo(ResultCode.NO_SUCH_OBJECT_INT_VALUE);
    assertThat(hidden.err()).contains("No such object").contains("Matched DN: " + TOP);
    member(ModificationType.ADD, INNER, ANN);
    assertThat(Processes.run(folder, Map.of(), asAnn).shouldSucceed().out())
        .contains("dn: " + CLOSED);
  }
}
