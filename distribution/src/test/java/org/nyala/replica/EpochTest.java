package org.nyala.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.replica.SyncedServers.access;
import static org.nyala.replica.SyncedServers.awaitEqual;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.AsyncSearchResultListener;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ContentSyncDoneControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestMode;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nyala.management.ManagementBeans;
import org.nyala.process.FreePorts;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/** Servers that were away while another one was promoted by force. */
@Timeout(300)
class EpochTest extends PromotionTestCase {
  private int first;
  private int second;
  private int third;

  @BeforeEach
  void populate() throws Exception {
    first = FreePorts.take();
    second = FreePorts.take();
    third = FreePorts.take();
    try (RunningServer a = a("");
        LDAPConnection client = LocalServer.connectAsRoot(a)) {
      addTop(client);
    }
  }

  private RunningServer a(String more) throws Exception {
    return at("a", 1, first, more);
  }

  private RunningServer b() throws Exception {
    return at("b", 2, second, of(first));
  }

  private RunningServer c(int provider) throws Exception {
    return at("c", 3, third, of(provider));
  }

  private static void requireStopped(RunningServer server, String alarm) throws Exception {
    assertThat(result(server, "refused")).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(alarms(server)).anyMatch(each -> each.contains(alarm));
    assertThat(epoch(server).remedy()).contains("nyala promote --force");
  }

  @Test
  void theFormerWriterStopsWhenItComesBack() throws Exception {
    try (RunningServer b = b();
        RunningServer c = c(second)) {
      try (RunningServer a = a("")) {
        add(a, "before");
        awaitEqual(access(a), access(c));
      }
      promote(c, true);
      assertThat(epoch(c)).extracting("epoch", "writer").containsExactly(1, 3);
      awaitSuperseded(b, 1);
      try (RunningServer a = a("")) {
        awaitSuperseded(a, 1);
        requireStopped(a, "server 3 was promoted to change " + SUFFIX + " in epoch 1");
        add(c, "new");
        requireReferred(b);
        assertThat(alarms(b)).anyMatch(each -> each.contains("copies the former one"));
      }
    }
    // Nobody tells it anything now.
    try (RunningServer a = a("")) {
      requireStopped(a, "server 3 was promoted");
    }
    try (RunningServer a = a(of(third));
        RunningServer b = b();
        RunningServer c = c(second)) {
      add(c, "later");
      awaitEqual(access(c), access(b));
      for (RunningServer each : List.of(a, b, c)) {
        eventually(
            "all have one epoch",
            () -> epoch(each).epoch() == 1 && epoch(each).writer() == 3 && alarms(each).isEmpty());
      }
      try (ManagementBeans _ = register(c)) {
        requireDone(sync().follow(SUFFIX, false, 20));
      }
      promote(a, false);
      add(a, "back");
      awaitEqual(access(a), access(c));
      eventually("the epoch is copied", () -> epoch(c).epoch() == 2 && epoch(c).writer() == 1);
      awaitNoAlarm(c, "");
    }
  }

  /** It has changed something before it heard: nothing is merged, and nothing lost in silence. */
  @Test
  void whatItHasChangedMeanwhileTakesAnAdministrator() throws Exception {
    try (RunningServer b = b()) {
      try (RunningServer a = a("")) {
        awaitEqual(access(a), access(b));
      }
      promote(b, true);
    }
    try (RunningServer a = a("")) {
      add(a, "apart");
      try (RunningServer b = b()) {
        awaitSuperseded(a, 1);
        add(b, "new");
      }
    }
    try (RunningServer b = b();
        RunningServer a = a(of(second));
        ManagementBeans _ = register(a)) {
      eventually("the copy stops", () -> sync().getCopies().getFirst().guarded() > 0);
      sync().confirm(SUFFIX, sync().getCopies().getFirst().guarded());
      awaitEqual(access(a), access(b));
      eventually("it has the epoch", () -> sync().getEpochs().getFirst().epoch() == 1);
      assertThat(sync().getEpochs().getFirst().isSuperseded()).isFalse();
    }
  }

  @Test
  void ofTwoThatWerePromotedApartOneIsChosen() throws Exception {
    try (RunningServer b = b();
        RunningServer c = c(first)) {
      try (RunningServer a = a("")) {
        awaitEqual(access(a), access(b));
        awaitEqual(access(a), access(c));
      }
      promote(b, true);
      promote(c, true);
      add(b, "b");
      add(c, "c");
      try (RunningServer a = a("")) {
        awaitSuperseded(a, 1);
        eventually(
            "they hear of each other", () -> epoch(b).isSuperseded() || epoch(c).isSuperseded());
        RunningServer stopped = epoch(b).isSuperseded() ? b : c;
        RunningServer other = stopped == b ? c : b;
        requireStopped(stopped, "were both promoted");
        add(other, "goes-on");
        try (ManagementBeans _ = register(stopped)) {
          requireRefused(sync().promote(SUFFIX, false, false, 0), "was promoted in epoch 1");
        }
        promote(stopped, true);
        awaitSuperseded(other, 2);
        requireStopped(other, "in epoch 2");
        add(stopped, "chosen");
      }
    }
  }

  /** A copy of the new writer that is given the old one as provider does not follow it. */
  @Test
  void aCopyDoesNotFollowAnEarlierEpoch() throws Exception {
    try (RunningServer b = b()) {
      try (RunningServer a = a("")) {
        awaitEqual(access(a), access(b));
      }
      promote(b, true);
      try (RunningServer c = c(second)) {
        awaitEqual(access(b), access(c));
      }
    }
    try (RunningServer _ = a("");
        RunningServer c = c(first);
        ManagementBeans _ = register(c)) {
      awaitCopyError("of epoch 1, in which server 2 changes it, and the provider is of epoch 0");
      assertThat(sync().getCopies().getFirst().guarded()).isPositive();
    }
    try (RunningServer a = a("")) {
      requireStopped(a, "server 2 was promoted");
      try (ManagementBeans _ = register(a)) {
        requireRefused(sync().promote(SUFFIX, false, false, 0), "server 2 was promoted");
        requireDone(sync().promote(SUFFIX, true, false, 0));
      }
      add(a, "again");
      assertThat(epoch(a)).extracting("epoch", "writer").containsExactly(2, 1);
      assertThat(alarms(a)).isEmpty();
    }
  }

  private static void awaitCopyError(String part) throws Exception {
    eventually("the copy fails", () -> sync().getCopies().getFirst().error().contains(part));
  }

  /** Anybody may send a cookie: who does not read passwords is no copy. */
  @Test
  void onlyACopyMayTellOfAnotherWriter() throws Exception {
    try (RunningServer a = a("")) {
      try (LDAPConnection root = LocalServer.connectAsRoot(a)) {
        root.add("dn: cn=reader," + SUFFIX, "objectClass: person", "sn: r", "userPassword: secret");
      }
      String told = "rid=001,epochs=7#009#0123456789abcdef/-,ask=1";
      try (LDAPConnection reader = new LDAPConnection("127.0.0.1", first)) {
        reader.bind("cn=reader," + SUFFIX, "secret");
        assertThat(ask(reader, told)).doesNotContain("epochs=");
      }
      add(a, "goes-on");
      try (LDAPConnection root = LocalServer.connectAsRoot(a)) {
        assertThat(ask(root, told)).contains("epochs=-/7#009#0123456789abcdef");
      }
      requireStopped(a, "server 9 was promoted");
    }
  }

  @Test
  void aCopyIsWhoMayReadPasswords() throws Exception {
    try (RunningServer a = a("");
        LDAPConnection root = LocalServer.connectAsRoot(a)) {
      for (String name : List.of("reader", "copy")) {
        root.add(
            "dn: cn=" + name + "," + SUFFIX,
            "objectClass: person",
            "sn: r",
            "userPassword: secret");
      }
    }
    Path rules = folder("rules").resolve("access.rules");
    Files.writeString(
        rules,
        """
        to attributes userPassword
          entry "cn=copy,dc=example,dc=com" may read, authenticate
          anonymous may authenticate
        to all
          users may read
        """);
    String told = "rid=001,epochs=7#009#0123456789abcdef/-,ask=1";
    try (RunningServer _ = a("access.rules = \"" + rules + "\"");
        LDAPConnection client = new LDAPConnection("127.0.0.1", first)) {
      client.bind("cn=reader," + SUFFIX, "secret");
      assertThat(ask(client, told)).doesNotContain("epochs=");
      client.bind("cn=copy," + SUFFIX, "secret");
      assertThat(ask(client, told)).contains("epochs=-/7#009#0123456789abcdef");
    }
  }

  private static String ask(LDAPConnection client, String cookie) throws Exception {
    SearchRequest request = new SearchRequest(SUFFIX, SearchScope.SUB, "(objectClass=*)", "*", "+");
    request.addControl(new ManageDsaITRequestControl(true));
    request.addControl(
        new ContentSyncRequestControl(
            ContentSyncRequestMode.REFRESH_ONLY, new ASN1OctetString(cookie), false));
    SearchResult result = client.search(request);
    assertThat(result.getEntryCount()).isZero();
    return ContentSyncDoneControl.get(result).getCookie().stringValue();
  }

  /** Keeps the names of entries that come, or the end of the search. */
  private static final class Names implements AsyncSearchResultListener {
    private static final long serialVersionUID = 1L;
    private final transient BlockingQueue<String> names = new LinkedBlockingQueue<>();

    String next() throws InterruptedException {
      return String.valueOf(names.poll(60, TimeUnit.SECONDS));
    }

    @Override
    public void searchEntryReturned(SearchResultEntry entry) {
      names.add(entry.getDN());
    }

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {
      names.add(reference.toString());
    }

    @Override
    public void searchResultReceived(AsyncRequestID request, SearchResult result) {
      names.add(result.toString());
    }
  }

  /** Its changes come in their order, whoever makes them. */
  @Test
  void persistentSearchesGoOnAtAPromotion() throws Exception {
    try (RunningServer b = b()) {
      try (RunningServer a = a("")) {
        add(a, "before");
        awaitEqual(access(a), access(b));
      }
      try (LDAPConnection client = LocalServer.connectAsRoot(b)) {
        Names names = new Names();
        SearchRequest request =
            new SearchRequest(
                names, SUFFIX, SearchScope.SUB, "(objectClass=organizationalUnit)", "1.1");
        request.addControl(
            new PersistentSearchRequestControl(
                EnumSet.allOf(PersistentSearchChangeType.class), false, false));
        AsyncRequestID _ = client.asyncSearch(request);
        assertThat(names.next()).isEqualTo("ou=before," + SUFFIX);
        promote(b, true);
        add(b, "one");
        add(b, "two");
        assertThat(names.next()).isEqualTo("ou=one," + SUFFIX);
        assertThat(names.next()).isEqualTo("ou=two," + SUFFIX);
      }
    }
  }

  /** OpenLDAP passes over what it does not know in cookies. */
  @Test
  void slapdGoesOnToCopyAServerThatIsPromoted() throws Exception {
    try (RunningServer b = b();
        SyncSlapd slapd = SyncSlapd.consumer(folder("slapd"), second)) {
      try (RunningServer a = a("")) {
        add(a, "before");
        awaitEqual(access(a), slapd.access());
      }
      promote(b, true);
      add(b, "after");
      awaitEqual(access(b), slapd.access());
      slapd.stop();
      add(b, "meanwhile");
      slapd.start();
      awaitEqual(access(b), slapd.access());
    }
  }
}
