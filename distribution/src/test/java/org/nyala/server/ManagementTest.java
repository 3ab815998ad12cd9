package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import javax.management.Descriptor;
import javax.management.JMX;
import javax.management.MBeanFeatureInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.config.ConfigurationFile;
import org.nyala.config.NyalaConfig;
import org.nyala.core.Patience;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.error.Installation;
import org.nyala.management.ManagementBeans;
import org.nyala.management.bean.ConnectionsMXBean;
import org.nyala.management.bean.ListenerMXBean;
import org.nyala.management.bean.OperationsMXBean;
import org.nyala.management.bean.ServerMXBean;
import org.nyala.management.bean.StoreMXBean;
import org.nyala.process.LocalServer;

/** Tests a running server as a JMX client sees it. */
class ManagementTest {
  private static final String SUFFIX = "dc=example,dc=com";

  @TempDir Path folder;

  private final MBeanServer registry = MBeanServerFactory.newMBeanServer();
  private ManagementBeans beans;
  private RunningServer server;
  private LDAPConnection client;

  @BeforeEach
  void start() throws Exception {
    server = LocalServer.start(folder, "management.watch.intervalSeconds = 3600");
    beans = new ManagementBeans(registry, server.served().notices());
    beans.with(server.served(), "nyala test").with(server.jobs()).with(server.explaining());
    client = LocalServer.connectAsRoot(server);
    client.add("dn: " + SUFFIX, "objectClass: domain", "dc: example");
  }

  @AfterEach
  void stop() {
    client.close();
    beans.close();
    server.close();
  }

  private LDAPConnection connect() throws LDAPException {
    return LocalServer.connect(server);
  }

  private <T> T bean(String name, Class<T> type) throws Exception {
    return JMX.newMXBeanProxy(registry, new ObjectName(name), type);
  }

  @Test
  void shouldSayInWordsWhyAnAddressIsNotListenedOn() throws Exception {
    int port = server.served().wire().addresses().getFirst().getPort();
    refuse("127.0.0.1:" + port, "Address already in use");
    // Reserved for documentation (RFC 5737), so no machine has it.
    refuse("198.51.100.1:" + port, "Cannot assign requested address");
    refuse("ldap.invalid:" + port, "no address is known for the name");
  }

  private void refuse(String address, String reason) throws Exception {
    String text =
        """
        nyala { listeners = ["ldap://ADDRESS"], data = other, suffixes = ["dc=example,dc=com"] }
        """;
    Path file = Files.writeString(folder.resolve("second.conf"), text.replace("ADDRESS", address));
    NyalaConfig second = ConfigurationFile.read(file, folder);
    assertThatThrownBy(() -> RunningServer.start(second, Installation.current()))
        .isInstanceOf(IOException.class)
        .hasMessage("cannot listen on " + address + ": " + reason);
  }

  @Test
  void shouldDescribeEverythingThatItShows() throws Exception {
    assertThat(registry.queryNames(new ObjectName("org.nyala:*"), null)).hasSize(7);
    for (ObjectName name : registry.queryNames(new ObjectName("org.nyala:*"), null)) {
      MBeanInfo info = registry.getMBeanInfo(name);
      assertThat(info.getDescription()).endsWith(".");
      assertThat(List.of(info.getAttributes())).isNotEmpty().allSatisfy(this::isDescribed);
      for (MBeanOperationInfo operation : info.getOperations()) {
        isDescribed(operation);
        assertThat(List.of(operation.getSignature())).allSatisfy(this::isDescribed);
      }
      Descriptor descriptor = info.getDescriptor();
      assertThat(descriptor.getFieldValue("mxbean")).isEqualTo("true");
    }
  }

  private void isDescribed(MBeanFeatureInfo feature) {
    assertThat(feature.getDescription()).as(feature.getName()).endsWith(".").contains(" ");
  }

  @Test
  void shouldShowTheServerAndItsListeners() throws Exception {
    ServerMXBean bean = bean(ServerMXBean.NAME, ServerMXBean.class);
    assertThat(bean.getVersion()).isEqualTo("nyala test");
    assertThat(bean.getPid()).isEqualTo(ProcessHandle.current().pid());
    assertThat(bean.getListeners()).isEqualTo(server.listeners());
    assertThat(bean.getNamingContexts()).containsExactly(SUFFIX);
    eventually("all event loops answer within a second", bean::isLive);
    assertThat(bean.isReadOnly()).isFalse();
    assertThat(bean.getAlarms()).isEmpty();
    assertThat(bean.getEventLoops()).isPositive();
    assertThat(bean.getData()).isEqualTo(folder.resolve("data").toString());
    ListenerMXBean listener =
        bean(
            ListenerMXBean.NAME_PREFIX + ObjectName.quote(server.listeners().getFirst()),
            ListenerMXBean.class);
    assertThat(listener.getConnections()).isEqualTo(1);
    assertThat(listener.getUrl()).isEqualTo(server.listeners().getFirst());
  }

  @Test
  void shouldListAndEndConnections() throws Exception {
    MeteredBeans.Connections bean = bean(ConnectionsMXBean.NAME, MeteredBeans.Connections.class);
    try (LDAPConnection other = connect()) {
      assertThat(other.getRootDSE()).isNotNull();
      List<ConnectionsMXBean.Connection> listed = bean.list(10);
      assertThat(listed).extracting(ConnectionsMXBean.Connection::number).containsExactly(1, 2);
      assertThat(listed.getFirst().identity()).isEqualTo("cn=admin");
      assertThat(listed.getFirst().received()).isEqualTo(2);
      assertThat(listed.getFirst().isWritable()).isTrue();
      assertThat(bean.list(1)).hasSize(1);
      assertThat(bean.disconnect(77)).isFalse();
      assertThat(bean.disconnect(2)).isTrue();
      eventually(
          "the connection is closed", () -> bean.getCurrent() == 1 && bean.list(10).size() == 1);
      assertThat(bean.getOpened()).isEqualTo(2);
    }
    assertThat(bean.getReserveBytes()).isBetween(0L, 64L << 20);
    long most = bean.getMostHeldBytes();
    assertThat(bean.resetMostHeldBytes()).isEqualTo(most);
    assertThat(bean.getMostHeldBytes()).isLessThanOrEqualTo(most);
    assertThat(client.getEntry(SUFFIX)).isNotNull();
    assertThat(bean.getBytesSent()).isPositive();
    assertThat(bean.getAwaitingClients()).isZero();
    assertThatIllegalArgumentException().isThrownBy(() -> bean.list(0));
  }

  @Test
  void shouldCountOperationsAndTheirTimes() throws Exception {
    for (int i = 0; i < 50; i++) {
      client.search(SUFFIX, SearchScope.BASE, "(objectClass=*)");
    }
    // For the bind and the addition of the suffix, and two for each search.
    LocalServer.awaitResponses(server, 2 + 100);
    MeteredBeans.Operations bean = bean(OperationsMXBean.NAME, MeteredBeans.Operations.class);
    Map<String, OperationsMXBean.Kind> kinds =
        bean.getKinds().stream()
            .collect(Collectors.toMap(OperationsMXBean.Kind::operation, k -> k));
    assertThat(kinds).hasSize(10);
    OperationsMXBean.Kind search = kinds.get("search");
    assertThat(search.started()).isEqualTo(50);
    assertThat(search.results()).containsOnly(Map.entry("success", 50L));
    OperationsMXBean.Times whole = search.whole();
    assertThat(whole.count()).isEqualTo(50);
    assertThat(whole.medianMicros()).isPositive().isLessThanOrEqualTo(whole.percentile99Micros());
    assertThat(whole.totalMicros()).isGreaterThanOrEqualTo(whole.medianMicros());
    assertThat(search.phases()).containsKeys("decode", "execute").doesNotContainKey("commit");
    assertThat(kinds.get("add").phases().get("commit").count()).isEqualTo(1);
    assertThat(kinds.get("unbind").started()).isZero();
    assertThat(bean.getEntriesSent()).isEqualTo(50);
    assertThat(bean.getActive()).isZero();
    assertThat(bean.getInternalErrors()).isZero();
    assertThat(search.slices().count()).isEqualTo(50);
    assertThat(bean.getLongestSliceMicros())
        .isGreaterThanOrEqualTo(search.slices().totalMicros() / 50);
    assertThat(bean.getLongestSliceProcessorMicros())
        .isPositive()
        .isLessThanOrEqualTo(bean.getLongestSliceMicros());
    assertThat(bean.resetLongestSlice()).isPositive();
    assertThat(bean.getLongestSliceMicros()).isZero();
    assertThat(bean.getLongestSliceProcessorMicros()).isZero();
    client.search(SUFFIX, SearchScope.BASE, "(objectClass=*)");
    assertThat(bean.getLongestSliceMicros()).isPositive();
  }

  @Test
  void shouldCountErrorsByTheirCodes() throws Exception {
    try (LDAPConnection other = connect()) {
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> other.bind("cn=admin", "wrong")).isInstanceOf(LDAPException.class);
      }
    }
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> client.search("dc=none", SearchScope.BASE, "(cn=*)"))
          .isInstanceOf(LDAPException.class);
    }
    assertThatThrownBy(() -> client.delete("ou=none," + SUFFIX)).isInstanceOf(LDAPException.class);
    LocalServer.awaitResponses(server, 2 + 3 + 2 + 1);
    Map<String, Map<String, Long>> results =
        bean(OperationsMXBean.NAME, OperationsMXBean.class).getKinds().stream()
            .collect(
                Collectors.toMap(OperationsMXBean.Kind::operation, OperationsMXBean.Kind::results));
    assertThat(results.get("bind"))
        .containsOnly(Map.entry("success", 1L), Map.entry("invalidCredentials", 3L));
    assertThat(results.get("search")).containsOnly(Map.entry("noSuchObject", 2L));
    assertThat(results.get("delete")).containsOnly(Map.entry("noSuchObject", 1L));
    assertThat(results.get("modify")).isEmpty();
  }

  @Test
  void shouldListAndCancelWhatRuns() throws Exception {
    MeteredBeans.Operations bean = bean(OperationsMXBean.NAME, MeteredBeans.Operations.class);
    SearchRequest endless =
        new SearchRequest(new NoResults(), SUFFIX, SearchScope.SUB, "(userPassword=secret)");
    endless.addControl(
        new PersistentSearchRequestControl(
            PersistentSearchChangeType.allChangeTypes(), true, true));
    AsyncRequestID id = client.asyncSearch(endless);
    List<OperationsMXBean.Running> shown = new ArrayList<>();
    eventually("it is shown", () -> shown.addAll(bean.slow(0, 10)));
    OperationsMXBean.Running running = shown.getFirst();
    assertThat(running.connection()).isEqualTo(1);
    assertThat(running.messageId()).isEqualTo(id.getMessageID());
    assertThat(running.identity()).isEqualTo("cn=admin");
    assertThat(running.operation()).isEqualTo("search");
    assertThat(running.request())
        .isEqualTo("SRCH base=\"" + SUFFIX + "\" scope=2 deref=0 filter=\"(userPassword=hidden)\"");
    assertThat(bean.slow(3_600_000, 10)).isEmpty();
    assertThat(bean.cancel(1, 9999)).isFalse();
    assertThat(bean.cancel(9999, 1)).isFalse();
    // False if the event loop did not answer within a second; the operation is canceled all the
    // same.
    eventually("canceled", () -> bean.cancel(1, id.getMessageID()) || id.isDone());
    SearchResult result = (SearchResult) Patience.get(id);
    assertThat(result.getResultCode()).isEqualTo(ResultCode.CANCELED);
    assertThatIllegalArgumentException().isThrownBy(() -> bean.slow(0, 0));
  }

  @Test
  void shouldShowTheStore() throws Exception {
    MeteredBeans.Store bean = bean(StoreMXBean.NAME, MeteredBeans.Store.class);
    long before = bean.getCommits().count();
    long last = bean.getLastTransaction();
    for (int i = 0; i < 5; i++) {
      client.add("dn: ou=" + i + "," + SUFFIX, "objectClass: organizationalUnit");
    }
    assertThat(bean.getEntries()).isEqualTo(6);
    assertThat(bean.getCommits().count()).isEqualTo(before + 5);
    assertThat(bean.getCommits().totalMicros()).isPositive();
    assertThat(bean.getLastTransaction()).isEqualTo(last + 5);
    assertThat(bean.getChanges()).isGreaterThanOrEqualTo(6);
    assertThat(bean.getLargestCommit()).isPositive();
    assertThat(bean.getUsedBytes()).isPositive().isLessThan(bean.getMapBytes());
    assertThat(bean.getMapBytes()).isLessThanOrEqualTo(bean.getMaximumBytes());
    assertThat(bean.getHeadRoomPercent()).isBetween(99.0, 100.0);
    assertThat(bean.getReaders()).isPositive().isLessThan(bean.getMaximumReaders());
    assertThat(bean.getOldestReadBehind()).isNotNegative();
    assertThat(bean.getIndexes()).contains("uid:eq,sub");
    assertThat(bean.getIndexWork()).isEmpty();
  }

  @Test
  void shouldShowWhatIsInTheDataFile() throws Exception {
    MeteredBeans.Store bean = bean(StoreMXBean.NAME, MeteredBeans.Store.class);
    for (int i = 0; i < 5; i++) {
      client.add("dn: ou=" + i + "," + SUFFIX, "objectClass: organizationalUnit");
    }
    StoreMXBean.Sizes sizes = bean.getCommitSizes();
    assertThat(sizes.changes()).isEqualTo(bean.getChanges()).isGreaterThanOrEqualTo(6);
    assertThat(sizes.commits()).isGreaterThanOrEqualTo(6);
    assertThat(sizes.median()).isEqualTo(1);
    assertThat(sizes.percentile999()).isEqualTo(bean.getLargestCommit());
    assertThat(bean.getPageBytes()).isEqualTo(4096);
    assertThat(bean.getFreePages()).isPositive();
    assertThat(bean.getPagesHeldBack()).isZero();
    assertThat(bean.getOldestReadSeconds()).isZero();
    assertThat(bean.getOldestReadProcess()).isZero();
    assertThat(bean.getOtherReads()).isZero();
    assertThat(bean.getIndexSizes())
        .extracting(StoreMXBean.IndexSize::index)
        .contains("ou:eq", "objectclass:eq", "parent");
    assertThat(bean.getIndexSizes())
        .filteredOn(size -> size.index().equals("ou:eq"))
        .singleElement()
        .satisfies(
            size -> {
              assertThat(size.keys()).isEqualTo(5);
              assertThat(size.bytes()).isPositive();
            });
  }

  @Test
  void shouldShowWhatAReadHoldsBack() throws Exception {
    MeteredBeans.Store bean = bean(StoreMXBean.NAME, MeteredBeans.Store.class);
    try (ReadTransaction _ = server.served().store().beginRead()) {
      for (int i = 0; i < 5; i++) {
        client.add("dn: ou=" + i + "," + SUFFIX, "objectClass: organizationalUnit");
      }
      assertThat(bean.getOpenReads()).isPositive();
      assertThat(bean.getOldestReadBehind()).isEqualTo(5);
      assertThat(bean.getOldestReadProcess()).isEqualTo(ProcessHandle.current().pid());
      assertThat(elsewhere(bean::getPagesHeldBack)).isPositive();
      eventually("it is a second old", () -> bean.getOldestReadSeconds() > 0);
    }
    assertThat(bean.getPagesHeldBack()).isZero();
    assertThat(bean.getOldestReadSeconds()).isZero();
  }

  /** Runs on another thread: this one has a read open and cannot begin another one. */
  private static long elsewhere(Callable<Long> asked) throws Exception {
    FutureTask<Long> task = new FutureTask<>(asked);
    Thread.ofPlatform().start(task).join();
    return task.get();
  }

  @Test
  void shouldChangeLimitsAtOnce() throws Exception {
    ServerMXBean bean = bean(ServerMXBean.NAME, ServerMXBean.class);
    for (int i = 0; i < 5; i++) {
      client.add("dn: ou=" + i + "," + SUFFIX, "objectClass: organizationalUnit");
    }
    client.add(
        "dn: cn=a," + SUFFIX, "objectClass: person", "cn: a", "sn: a", "userPassword: secret");
    try (LDAPConnection user = connect()) {
      user.bind("cn=a," + SUFFIX, "secret");
      assertThat(user.search(SUFFIX, SearchScope.SUB, "(objectClass=*)").getEntryCount())
          .isEqualTo(7);
      assertThat(bean.changeLimit("sizeLimit", 3)).isZero();
      assertThatThrownBy(() -> user.search(SUFFIX, SearchScope.SUB, "(objectClass=*)"))
          .isInstanceOfSatisfying(
              LDAPException.class,
              e -> assertThat(e.getResultCode()).isEqualTo(ResultCode.SIZE_LIMIT_EXCEEDED));
      assertThat(bean.changeLimit("connections", 1)).isPositive();
      assertThat(bean.changeLimit("connections", 100)).isEqualTo(1);
      assertThat(bean.changeLimit("sizeLimit", 0)).isEqualTo(3);
      assertThat(user.search(SUFFIX, SearchScope.SUB, "(objectClass=*)").getEntryCount())
          .isEqualTo(7);
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> bean.changeLimit("sizeLimit", -1))
        .withMessageContaining("nyala.limits.sizeLimit");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> bean.changeLimit("sizeLimt", 1))
        .withMessageContaining("there is no such limit");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> bean.changeLimit("filterDepth", 1))
        .withMessageContaining("takes a restart");
    assertThatIllegalStateException().isThrownBy(bean::stop);
  }
}
