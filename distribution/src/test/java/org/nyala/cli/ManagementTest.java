package org.nyala.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
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
import org.nyala.management.ConnectionsMXBean;
import org.nyala.management.ListenerMXBean;
import org.nyala.management.ManagementBeans;
import org.nyala.management.OperationsMXBean;
import org.nyala.management.ServerMXBean;
import org.nyala.management.StoreMXBean;

/** A running server as a JMX client sees it. */
class ManagementTest {
  private static final String SUFFIX = "dc=example,dc=com";

  @TempDir Path folder;

  private final MBeanServer registry = MBeanServerFactory.newMBeanServer();
  private ManagementBeans beans;
  private RunningServer server;
  private LDAPConnection client;

  @BeforeEach
  void start() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("test.conf"),
            """
            nyala {
              listeners = ["ldap://127.0.0.1:0"], data = data, suffixes = ["dc=example,dc=com"]
              root { dn = "cn=admin", password = admin }
            }
            """);
    server = RunningServer.start(ConfigurationFile.read(file, folder), Installation.current());
    beans = new ManagementBeans(registry, server.served().notices());
    beans.with(server.served(), "nyala test").with(server.jobs()).with(server.explaining());
    client = connect();
    client.bind("cn=admin", "admin");
    client.add("dn: " + SUFFIX, "objectClass: domain", "dc: example");
  }

  @AfterEach
  void stop() {
    client.close();
    beans.close();
    server.close();
  }

  private LDAPConnection connect() throws LDAPException {
    return new LDAPConnection("127.0.0.1", URI.create(server.listeners().getFirst()).getPort());
  }

  private <T> T bean(String name, Class<T> type) throws Exception {
    return JMX.newMXBeanProxy(registry, new ObjectName(name), type);
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
    assertThat(bean.isLive()).isTrue();
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
    ConnectionsMXBean bean = bean(ConnectionsMXBean.NAME, ConnectionsMXBean.class);
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
      while (bean.getCurrent() == 2) {
        LockSupport.parkNanos(1_000_000);
      }
      assertThat(bean.list(10)).hasSize(1);
      assertThat(bean.getOpened()).isEqualTo(2);
    }
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
    OperationsMXBean bean = bean(OperationsMXBean.NAME, OperationsMXBean.class);
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
  }

  @Test
  void shouldListAndCancelWhatRuns() throws Exception {
    OperationsMXBean bean = bean(OperationsMXBean.NAME, OperationsMXBean.class);
    SearchRequest endless =
        new SearchRequest(new NoResults(), SUFFIX, SearchScope.SUB, "(userPassword=secret)");
    endless.addControl(
        new PersistentSearchRequestControl(
            PersistentSearchChangeType.allChangeTypes(), true, true));
    AsyncRequestID id = client.asyncSearch(endless);
    while (bean.slow(0, 10).isEmpty()) {
      LockSupport.parkNanos(1_000_000);
    }
    OperationsMXBean.Running running = bean.slow(0, 10).getFirst();
    assertThat(running.connection()).isEqualTo(1);
    assertThat(running.messageId()).isEqualTo(id.getMessageID());
    assertThat(running.identity()).isEqualTo("cn=admin");
    assertThat(running.operation()).isEqualTo("search");
    assertThat(running.request())
        .isEqualTo("SRCH base=\"" + SUFFIX + "\" scope=2 deref=0 filter=\"(userPassword=hidden)\"");
    assertThat(bean.slow(3_600_000, 10)).isEmpty();
    assertThat(bean.cancel(1, 9999)).isFalse();
    assertThat(bean.cancel(9999, 1)).isFalse();
    assertThat(bean.cancel(1, id.getMessageID())).isTrue();
    SearchResult result = (SearchResult) id.get(30, TimeUnit.SECONDS);
    assertThat(result.getResultCode()).isEqualTo(ResultCode.CANCELED);
    assertThatIllegalArgumentException().isThrownBy(() -> bean.slow(0, 0));
  }

  @Test
  void shouldShowTheStore() throws Exception {
    StoreMXBean bean = bean(StoreMXBean.NAME, StoreMXBean.class);
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
}
