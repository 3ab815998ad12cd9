package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.AsyncSearchResultListener;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.config.ConfigurationFile;
import org.nyala.config.NyalaConfig;
import org.nyala.core.Patience;
import org.nyala.core.limits.Keys;
import org.nyala.error.Setting;
import org.nyala.management.bean.ServerMXBean.Reloaded;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;

/** Changes the configuration of a running server and reloads it. */
@Timeout(300)
class ReconfigurationTest {
  private static final String SUFFIX = "dc=example,dc=com";

  @TempDir Path folder;

  private RunningServer server;
  private LDAPConnection client;

  @BeforeEach
  void start() throws Exception {
    Path file = ServerProcess.configure(folder, "");
    server = LocalServer.startFrom(file, folder);
    client = LocalServer.connectAsRoot(server);
    client.add("dn: " + SUFFIX, "objectClass: domain", "dc: example");
    client.add("dn: ou=a," + SUFFIX, "objectClass: organizationalUnit");
    client.add("dn: ou=b," + SUFFIX, "objectClass: organizationalUnit");
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  private LDAPConnection connect() throws LDAPException {
    return LocalServer.connect(server);
  }

  private Reloaded reload(String configuration) throws IOException {
    ServerProcess.configure(folder, configuration);
    return server.served().control().reload();
  }

  private int found(LDAPConnection by) throws LDAPException {
    return by.search(SUFFIX, SearchScope.SUB, "(objectClass=*)").getEntryCount();
  }

  @Test
  void shouldSayThatNothingHasChanged() throws Exception {
    assertThat(reload("")).isEqualTo(new Reloaded(List.of(), List.of()));
  }

  @Test
  void shouldTakeOverRightsAndLimitsForOpenConnections() throws Exception {
    try (LDAPConnection stranger = connect()) {
      assertThatThrownBy(() -> found(stranger)).isInstanceOf(LDAPException.class);
      Reloaded reloaded = reload("access.anonymousRead = true");
      assertThat(reloaded.tookEffect())
          .containsExactly("nyala.access.anonymousRead = true (was false)");
      assertThat(reloaded.needRestart()).isEmpty();
      assertThat(found(stranger)).isEqualTo(3);
      assertThat(reload("access.anonymousRead = true, limits.sizeLimit = 2").tookEffect())
          .containsExactly("nyala.limits.sizeLimit = 2 (was 0)");
      assertThatThrownBy(() -> found(stranger))
          .isInstanceOfSatisfying(
              LDAPSearchException.class,
              e -> {
                assertThat(e.getResultCode()).isEqualTo(ResultCode.SIZE_LIMIT_EXCEEDED);
                assertThat(e.getEntryCount()).isEqualTo(2);
              });
      assertThat(reload("").tookEffect()).hasSize(2);
      assertThatThrownBy(() -> found(stranger)).isInstanceOf(LDAPException.class);
      assertThat(found(client)).isEqualTo(3);
    }
  }

  @Test
  void shouldKeepTermsWhenTheSchemaChangesAfterwards() throws Exception {
    reload("access.anonymousRead = true");
    client.modify(
        "dn: cn=Subschema",
        "changetype: modify",
        "add: attributeTypes",
        "attributeTypes: ( 1.3.6.1.4.1.99999.1 NAME 'stripes' SYNTAX 1.3.6.1.4.1.1466.115.121.1.27"
            + " )");
    try (LDAPConnection stranger = connect()) {
      assertThat(found(stranger)).isEqualTo(3);
      reload("");
      assertThatThrownBy(() -> found(stranger)).isInstanceOf(LDAPException.class);
    }
    client.modify("dn: " + SUFFIX, "changetype: modify", "replace: description", "description: x");
  }

  @Test
  void shouldTakeOverAnotherPasswordOfRoot() throws Exception {
    Path secret = Files.writeString(folder.resolve("secret"), "first\n");
    String root = "root { password = null, passwordFile = \"" + secret + "\" }";
    assertThat(reload(root).tookEffect())
        .contains("nyala.root.password")
        .anySatisfy(line -> assertThat(line).startsWith("nyala.root.passwordFile = "))
        .noneSatisfy(line -> assertThat(line).contains("first"));
    try (LDAPConnection other = connect()) {
      assertThatThrownBy(() -> other.bind("cn=admin", "admin")).isInstanceOf(LDAPException.class);
      assertThat(other.bind("cn=admin", "first").getResultCode()).isEqualTo(ResultCode.SUCCESS);
      Files.writeString(secret, "second\n");
      assertThat(reload(root).tookEffect()).containsExactly("nyala.root.password");
      assertThat(other.bind("cn=admin", "second").getResultCode()).isEqualTo(ResultCode.SUCCESS);
    }
  }

  @Test
  void shouldBoundConnectionsFromNowOn() throws Exception {
    assertThat(reload("limits.connections = 1").tookEffect()).hasSize(1);
    try (LDAPConnection only = connect()) {
      assertThat(only.getRootDSE()).isNotNull();
      assertThatThrownBy(client::getRootDSE).as("makes way").isInstanceOf(LDAPException.class);
      reload("");
      try (LDAPConnection another = connect()) {
        assertThat(another.getRootDSE()).isNotNull();
        assertThat(only.getRootDSE()).isNotNull();
      }
    }
  }

  @Test
  void shouldBoundOpenConnectionsOtherwise() throws Exception {
    reload("limits.inFlightPerConnection = 1");
    SearchRequest endless =
        new SearchRequest(new NoResults(), SUFFIX, SearchScope.SUB, "(objectClass=*)");
    endless.addControl(
        new PersistentSearchRequestControl(
            PersistentSearchChangeType.allChangeTypes(), true, true));
    AsyncRequestID _ = client.asyncSearch(endless);
    SearchRequest behind =
        new SearchRequest(new NoResults(), SUFFIX, SearchScope.BASE, "(objectClass=*)");
    AsyncRequestID deferred = client.asyncSearch(behind);
    eventually(
        "the search waits",
        () -> server.served().wire().connections().getFirst().session().pending() > 0);
    reload("");
    // The next request carries the waiting one with it.
    assertThat(client.getEntry(SUFFIX)).isNotNull();
    assertThat(Patience.get(deferred).getResultCode()).isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldEndPersistentSearchesOfWhoMayReadNoLonger() throws Exception {
    reload("access.anonymousRead = true");
    try (LDAPConnection anonymous = connect()) {
      Semaphore heard = new Semaphore(0);
      AsyncSearchResultListener listener =
          new AsyncSearchResultListener() {
            @Override
            public void searchEntryReturned(SearchResultEntry entry) {
              heard.release();
            }

            @Override
            public void searchReferenceReturned(SearchResultReference reference) {}

            @Override
            public void searchResultReceived(AsyncRequestID id, SearchResult result) {}
          };
      SearchRequest endless =
          new SearchRequest(listener, SUFFIX, SearchScope.SUB, "(objectClass=*)");
      endless.addControl(
          new PersistentSearchRequestControl(
              PersistentSearchChangeType.allChangeTypes(), true, true));
      AsyncRequestID strangers = anonymous.asyncSearch(endless);
      eventually(
          "the search follows changes",
          () -> {
            client.modify("ou=a," + SUFFIX, new Modification(ModificationType.REPLACE, "l", "x"));
            return heard.tryAcquire();
          });
      reload("access.anonymousRead = true, limits.sizeLimit = 7");
      assertThat(strangers.isDone()).isFalse();
      reload("access.anonymousRead = false");
      assertThat(Patience.get(strangers).getResultCode())
          .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    }
  }

  @Test
  void shouldEndOpenConnectionsThatAreSilentForLonger() throws Exception {
    try (LDAPConnection silent = connect()) {
      assertThat(silent.getRootDSE()).isNotNull();
      reload("limits.idleTimeoutSeconds = 1");
      eventually("all are closed", () -> server.served().wire().connectionCount() == 0);
      reload("");
      client = connect();
      assertThat(client.getRootDSE()).isNotNull();
    }
  }

  @Test
  void shouldForgetALimitOfTheMomentWhenTheConfigurationIsReadAgain() throws Exception {
    assertThat(server.served().control().changeLimit("sizeLimit", 5)).isZero();
    assertThat(server.served().directory().limits().searches().sizeLimit()).isEqualTo(5);
    assertThat(reload("").tookEffect()).containsExactly("nyala.limits.sizeLimit = 0 (was 5)");
    assertThat(server.served().directory().limits().searches().sizeLimit()).isZero();
  }

  @Test
  void shouldOpenAndCloseLogs() throws Exception {
    Path stats = folder.resolve("stats.log");
    Path json = folder.resolve("json.log");
    Path audit = folder.resolve("audit.ldif");
    reload("log.access { format = stats, file = \"" + stats + "\" }");
    found(client);
    eventually("its end is written", () -> Files.readString(stats).contains("SEARCH RESULT"));
    reload(
        "log { access { format = json, file = \"%s\" }, audit { enabled = true, file = \"%s\" } }"
            .formatted(json, audit));
    client.modify("dn: " + SUFFIX, "changetype: modify", "replace: description", "description: y");
    eventually("it is written", () -> Files.size(json) > 0);
    reload("");
    client.modify("dn: " + SUFFIX, "changetype: modify", "replace: description", "description: z");
    assertThat(Files.readString(stats)).contains("SRCH base=").doesNotContain("MOD ");
    assertThat(Files.readAllLines(json)).singleElement().asString().contains("\"modify\"");
    assertThat(Files.readString(audit)).contains("description: y").doesNotContain(": z");
  }

  @Test
  void shouldGoOnWithAnotherStrategy() throws Exception {
    assertThat(reload("dispatch { strategy = striped, workers = 3 }").tookEffect())
        .containsExactly(
            "nyala.dispatch.strategy = \"striped\" (was \"adaptive\")",
            "nyala.dispatch.workers = 3 (was \"auto\")");
    assertThat(server.dispatchManagement().getStrategy()).isEqualTo("striped");
    assertThat(server.served().workers().getAsInt()).isEqualTo(3);
    assertThat(found(client)).isEqualTo(3);
  }

  @Test
  void shouldKeepTheStrategyThatWasChosenAtRunTime() throws Exception {
    server.dispatchManagement().switchStrategy("single-queue");
    reload("limits.sizeLimit = 7");
    assertThat(server.dispatchManagement().getStrategy()).isEqualTo("single-queue");
    reload("dispatch.workers = 2");
    assertThat(server.dispatchManagement().getStrategy()).isEqualTo("single-queue");
    reload("dispatch.strategy = striped");
    assertThat(server.dispatchManagement().getStrategy()).isEqualTo("striped");
  }

  @Test
  void shouldSayWhatTakesARestartUntilThereIsOne() throws Exception {
    Reloaded reloaded = reload("limits { filterDepth = 7, sizeLimit = 9 }, serverId = 3");
    assertThat(reloaded.tookEffect()).containsExactly("nyala.limits.sizeLimit = 9 (was 0)");
    assertThat(reloaded.needRestart())
        .containsExactly("nyala.limits.filterDepth = 7 (was 64)", "nyala.serverId = 3 (was 0)");
    assertThat(server.served().directory().limits().requests().filterDepth()).isEqualTo(64);
    assertThat(server.served().directory().limits().searches().sizeLimit()).isEqualTo(9);
    reloaded = reload("limits { filterDepth = 7, sizeLimit = 9 }");
    assertThat(reloaded.tookEffect()).isEmpty();
    assertThat(reloaded.needRestart()).containsExactly("nyala.limits.filterDepth = 7 (was 64)");
    assertThat(reload("indexes { uid = [eq] }").needRestart())
        .containsExactly(
            "nyala.indexes.uid = [\"eq\"] (was null); only new data directories, see nyala index");
    assertThat(
            reload("replication { provider = \"ldap://[::1]\", bind { dn = a, password = b } }")
                .needRestart())
        .contains("nyala.replication.bind.password")
        .anyMatch(line -> line.startsWith("nyala.replication.provider = \"ldap://[::1]\""));
  }

  @Test
  void shouldChangeNothingWhenSomethingIsWrong() throws Exception {
    Path file = folder.resolve("test.conf");
    String good = "limits.sizeLimit = 1, dispatch.strategy = striped\n";
    assertThatIllegalArgumentException()
        .isThrownBy(() -> reload(good + "limits.sizeLimt = 3"))
        .withMessageStartingWith(file + ":5: nyala.limits.sizeLimt: there is no such key");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> reload(good + "access.writers = [nobody]"))
        .withMessageStartingWith(file + ":5: nyala.access.writers: expected a DN, found 'nobody'");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> reload(good + "log.access { format = stats, file = \"/dev/null/x\" }"))
        .withMessage(
            file
                + ":5: nyala.log.access.file: cannot create the missing folder /dev/null: it is a"
                + " file, and a folder is expected");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> reload(good + "log.access { format = stats, file = \"" + folder + "\" }"))
        .withMessage(
            file
                + ":5: nyala.log.access.file: cannot write to "
                + folder
                + ": it is a folder, and a file is expected");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                reload(
                    good
                        + "log { access { format = stats, file = \""
                        + folder.resolve("a.log")
                        + "\" }, audit { enabled = true, file = \"/dev/null/x\" } }"))
        .withMessageStartingWith(file + ":5: nyala.log.audit.file: ");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> reload(good + "dispatch.diskThreads = 1024"))
        .withMessageStartingWith("nyala.dispatch: workers, queues and diskThreads make")
        .withMessageContaining("the store was opened for ")
        .withMessageEndingWith(": takes a restart");
    assertThat(server.dispatchManagement().getStrategy()).isEqualTo("adaptive");
    assertThat(server.served().directory().limits().searches().sizeLimit()).isZero();
    assertThat(reload(good).tookEffect()).hasSize(2);
  }

  @Test
  void shouldKeepOfTheLimitsExactlyWhatTakesARestart() throws Exception {
    NyalaConfig started = ConfigurationFile.read(ServerProcess.configure(folder, ""), folder);
    int looked = 0;
    for (String key : ConfigurationFile.keys()) {
      Setting setting = started.settings().all().get(key);
      if (!key.startsWith("nyala.limits.") || setting == null) {
        continue;
      }
      String name = key.substring("nyala.".length());
      int more = Integer.parseInt(setting.value()) + 1;
      NyalaConfig wanted =
          ConfigurationFile.read(ServerProcess.configure(folder, name + " = " + more), folder);
      boolean isTaken =
          !Keys.lasting(started.limits(), wanted.limits()).equals(started.limits())
              || !Reconfiguration.bounds(started.wire(), wanted.wire()).equals(started.wire());
      assertThat(isTaken).as(key).isEqualTo(Reconfiguration.takesEffect(key));
      looked++;
    }
    assertThat(looked).isGreaterThan(35);
  }
}
