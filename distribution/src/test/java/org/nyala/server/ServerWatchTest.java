package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.asn1.ASN1StreamReader;
import com.unboundid.ldap.protocol.BindRequestProtocolOp;
import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.protocol.SearchRequestProtocolOp;
import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchScope;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.management.MBeanNotificationInfo;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.Notification;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Patience;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.lmdb.StoreStatus;
import org.nyala.management.ManagementBeans;
import org.nyala.management.ServerWatch;
import org.nyala.management.WatchSettings;
import org.nyala.management.bean.DispatchMXBean;
import org.nyala.management.bean.NoticeKind;
import org.nyala.management.bean.ServerMXBean;
import org.nyala.management.bean.StoreMXBean;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;

/** Tests notifications of a server to JMX clients. */
class ServerWatchTest {
  private static final String SUFFIX = "dc=example,dc=com";

  /** Longer than any pause of a machine. */
  private static final int LONG_SECONDS = 3600;

  private static final int LONG_MILLIS = 3_600_000;

  @TempDir Path folder;

  private final MBeanServer registry = MBeanServerFactory.newMBeanServer();
  private final ConcurrentLinkedQueue<Notification> heard = new ConcurrentLinkedQueue<>();
  private RunningServer server;
  private ManagementBeans beans;
  private LDAPConnection client;

  private Path configure(int intervalSeconds) throws IOException {
    return ServerProcess.configure(
        folder,
        """
        dispatch { strategy = striped, workers = 1, queues = 1 }
        limits.writeQueue = 2
        store { mapSizeGiB = 1, maximumMapSizeGiB = 1 }
        management.watch.intervalSeconds = %d
        """
            .formatted(intervalSeconds));
  }

  @BeforeEach
  void start() throws Exception {
    server = LocalServer.startFrom(configure(LONG_SECONDS), folder);
    beans = new ManagementBeans(registry, server.served().notices());
    beans.with(server.served(), "nyala test").with(server.dispatchManagement());
    for (String name : List.of(StoreMXBean.NAME, DispatchMXBean.NAME)) {
      registry.addNotificationListener(
          new ObjectName(name), (notification, _) -> heard.add(notification), null, null);
    }
    client = LocalServer.connectAsRoot(server);
    client.add("dn: " + SUFFIX, "objectClass: domain", "dc: example");
  }

  @AfterEach
  void stop() {
    client.close();
    beans.close();
    server.close();
  }

  private ServerWatch watch(int mapFullPercent, int longReadSeconds, int queueWaitMillis) {
    return new ServerWatch(
        server.served(),
        new WatchSettings(3600, mapFullPercent, 0, 0, longReadSeconds, queueWaitMillis, 300));
  }

  /** A check that goes on beside the end of the server would find the store closed. */
  @Test
  void shouldEndWhatItChecksBeforeItIsClosed() {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    AtomicBoolean hasEnded = new AtomicBoolean();
    ServerWatch watch =
        ServerWatch.start(
            server.served(),
            WatchSettings.DEFAULT,
            _ -> {
              begun.countDown();
              Patience.await(mayEnd);
              hasEnded.set(true);
            });
    Patience.await(begun);
    Thread closing = Thread.ofPlatform().start(watch::close);
    eventually(
        "it waits", () -> closing.getState() == Thread.State.TIMED_WAITING || !closing.isAlive());
    mayEnd.countDown();
    Patience.join(closing);
    assertThat(hasEnded).isTrue();
  }

  private List<String> types() {
    return heard.stream().map(Notification::getType).toList();
  }

  private Map<?, ?> lastData() {
    return (Map<?, ?>) new ArrayList<>(heard).getLast().getUserData();
  }

  private Object alarms() throws Exception {
    return registry.getAttribute(new ObjectName(ServerMXBean.NAME), "Alarms");
  }

  private void change(String value) throws LDAPException {
    client.modify(SUFFIX, new Modification(ModificationType.REPLACE, "description", value));
  }

  @Test
  void shouldSayNothingWhileAllIsWell() throws Exception {
    ServerWatch watch = watch(90, LONG_SECONDS, LONG_MILLIS);
    change("one");
    watch.look();
    change("two");
    watch.look();
    assertThat(heard).isEmpty();
    assertThat((String[]) alarms()).isEmpty();
  }

  @Test
  void shouldTellOfADataFileThatIsNearlyFull() throws Exception {
    ServerWatch watch = watch(1, LONG_SECONDS, LONG_MILLIS);
    watch.look();
    assertThat(heard).isEmpty();
    for (int i = 0; heard.isEmpty(); i++) {
      assertThat(i).isLessThan(100);
      String photo = "x".repeat(1 << 20);
      client.add(
          "dn: ou=" + i + "," + SUFFIX, "objectClass: organizationalUnit", "description: " + photo);
      watch.look();
    }
    watch.look();
    assertThat(types()).containsExactly(NoticeKind.MAP_NEARLY_FULL.type());
    Notification told = heard.element();
    assertThat(told.getSource()).isEqualTo(new ObjectName(StoreMXBean.NAME));
    assertThat(told.getMessage()).contains("1 percent of store.maximumMapSizeGiB");
    assertThat((Long) lastData().get("usedBytes")).isGreaterThan((1L << 30) / 100);
    assertThat(lastData().get("maximumBytes")).isEqualTo(1L << 30);
    assertThat((String[]) alarms()).containsExactly(told.getMessage());
  }

  @Test
  void shouldTellOfAReadThatIsOpenForLong() throws Exception {
    ServerWatch watch = watch(90, 1, LONG_MILLIS);
    try (ReadTransaction _ = server.served().store().beginRead()) {
      for (int i = 0; heard.isEmpty(); i++) {
        change("number " + i);
        watch.look();
      }
      assertThat(types()).containsExactly(NoticeKind.LONG_READ.type());
      assertThat((Long) lastData().get("seconds")).isPositive();
      assertThat((Long) lastData().get("commits")).isPositive();
      assertThat(lastData().get("process")).isEqualTo(ProcessHandle.current().pid());
      assertThat((String[]) alarms()).hasSize(1);
    }
    change("last");
    watch.look();
    assertThat(types())
        .containsExactly(NoticeKind.LONG_READ.type(), NoticeKind.LONG_READ.overType());
    assertThat((String[]) alarms()).isEmpty();
  }

  /** A search is suspended without its snapshot while its client does not read. */
  @Test
  void shouldKeepNoSnapshotForAClientThatDoesNotReadItsAnswers() throws Exception {
    for (int i = 0; i < 24; i++) {
      client.add(
          "dn: ou=" + i + "," + SUFFIX,
          "objectClass: organizationalUnit",
          "description: " + "x".repeat(1 << 20));
    }
    LDAPMessage bind = new LDAPMessage(1, new BindRequestProtocolOp("cn=admin", "admin"));
    LDAPMessage search =
        new LDAPMessage(
            2,
            new SearchRequestProtocolOp(
                SUFFIX,
                SearchScope.SUB,
                DereferencePolicy.NEVER,
                0,
                0,
                false,
                Filter.createPresenceFilter("objectClass"),
                List.of()));
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), LocalServer.port(server))) {
      socket.getOutputStream().write(bind.encode().encode());
      ASN1StreamReader answers = new ASN1StreamReader(socket.getInputStream());
      assertThat(LDAPMessage.readFrom(answers, false).getMessageID()).isEqualTo(1);
      socket.getOutputStream().write(search.encode().encode());
      assertThat(LDAPMessage.readFrom(answers, false).getMessageID()).isEqualTo(2);
      for (int i = 0; i < 5; i++) {
        change("number " + i);
        change("again " + i);
        eventually(
            "no read is open",
            () -> {
              StoreStatus status = server.served().store().status();
              return status.readers().reading() == 0 && status.oldestRead().behind() == 0;
            });
      }
      // The answers that it has not read are more than the buffers hold.
      assertThat(server.served().directory().metrics().connectionsStalled().sum()).isZero();
      for (int i = 0; i < 24; i++) {
        assertThat(LDAPMessage.readFrom(answers, false).getMessageID()).isEqualTo(2);
      }
    }
  }

  /** The server's own watch checks: rejected changes do not wait for the next turn. */
  @Test
  void shouldTellOfChangesThatFindTheQueueOfTheWriterFull() throws Exception {
    List<AsyncRequestID> changes = new ArrayList<>();
    try (WriteTransaction _ = server.served().store().beginWrite()) {
      // The writer takes some, and waits for this transaction.
      eventually(
          "a notification",
          () -> {
            changes.add(changeLater());
            return !heard.isEmpty();
          });
      assertThat(types()).containsExactly(NoticeKind.CHANGES_REFUSED.type());
      assertThat((Long) lastData().get("refused")).isPositive();
      assertThat(lastData().get("waiting")).isEqualTo(2L);
      assertThat((String[]) alarms()).singleElement().asString().contains("limits.writeQueue");
      assertThat(store("WaitingChanges")).isEqualTo(2);
    }
    long busy = 0;
    for (AsyncRequestID change : changes) {
      ResultCode code = Patience.get(change).getResultCode();
      assertThat(code).isIn(ResultCode.SUCCESS, ResultCode.BUSY);
      busy += code == ResultCode.BUSY ? 1 : 0;
    }
    assertThat(busy).isPositive().isEqualTo(store("RefusedChanges"));
    // Rejections count as over after two intervals.
    Path _ = configure(1);
    assertThat(server.served().control().reload().tookEffect()).isNotEmpty();
    eventually("over", () -> heard.size() > 1);
    assertThat(types())
        .containsExactly(NoticeKind.CHANGES_REFUSED.type(), NoticeKind.CHANGES_REFUSED.overType());
    assertThat((String[]) alarms()).isEmpty();
  }

  private Object store(String attribute) throws Exception {
    return registry.getAttribute(new ObjectName(StoreMXBean.NAME), attribute);
  }

  private AsyncRequestID changeLater() throws LDAPException {
    Modification change = new Modification(ModificationType.REPLACE, "description", "later");
    return client.asyncModify(new ModifyRequest(SUFFIX, change), null);
  }

  @Test
  void shouldTellOfOperationsThatWaitForLong() throws Exception {
    for (int i = 0; i < 200; i++) {
      client.add("dn: ou=" + i + "," + SUFFIX, "objectClass: organizationalUnit");
    }
    // For a bind and all additions: responses that are counted late belong to the next check.
    LocalServer.awaitResponses(server, 1 + 1 + 200);
    ServerWatch watch = watch(90, LONG_SECONDS, 1);
    watch.look();
    assertThat(heard).isEmpty();
    eventually(
        "a request waits",
        () -> {
          burst();
          watch.look();
          return !heard.isEmpty();
        });
    assertThat((Long) lastData().get("waited")).isPositive();
    assertThat(lastData().get("refused")).isEqualTo(0L);
    watch.look();
    assertThat(types())
        .containsExactly(NoticeKind.QUEUE_SATURATED.type(), NoticeKind.QUEUE_SATURATED.overType());
  }

  private void burst() throws Exception {
    long before = server.served().directory().metrics().responsesSent().sum();
    List<AsyncRequestID> running = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      SearchRequest all =
          new SearchRequest(new NoResults(), SUFFIX, SearchScope.SUB, "(objectClass=*)");
      running.add(client.asyncSearch(all));
    }
    for (AsyncRequestID each : running) {
      assertThat(Patience.get(each)).isNotNull();
    }
    // The suffix, the entries below it, and the result.
    LocalServer.awaitResponses(server, before + 30 * (1 + 200 + 1));
  }

  @Test
  void shouldTellOfOperationsThatAreRefused() throws Exception {
    ServerWatch watch = watch(90, LONG_SECONDS, LONG_MILLIS);
    server.served().directory().metrics().operationsRefused().add(3);
    watch.look();
    assertThat(types()).containsExactly(NoticeKind.QUEUE_SATURATED.type());
    assertThat(lastData().get("refused")).isEqualTo(3L);
  }

  @Test
  void shouldTellOfAnotherStrategy() {
    server.dispatchManagement().switchStrategy("run-to-completion");
    assertThat(types()).containsExactly(NoticeKind.STRATEGY_SWITCHED.type());
    assertThat(lastData().get("strategy")).isEqualTo("run-to-completion");
    assertThat(lastData().get("before")).isEqualTo("striped");
  }

  @Test
  void shouldDescribeWhatItTells() throws Exception {
    MBeanServer own = MBeanServerFactory.newMBeanServer();
    List<String> described = new ArrayList<>();
    try (ManagementBeans _ = server.register(own)) {
      for (ObjectName name : own.queryNames(new ObjectName("org.nyala:*"), null)) {
        for (MBeanNotificationInfo each : own.getMBeanInfo(name).getNotifications()) {
          assertThat(each.getDescription()).endsWith(".");
          described.addAll(List.of(each.getNotifTypes()));
        }
      }
    }
    assertThat(described)
        .containsAll(Arrays.stream(NoticeKind.values()).map(NoticeKind::type).toList())
        .contains(NoticeKind.LONG_READ.overType())
        .doesNotContain(NoticeKind.STRATEGY_SWITCHED.overType());
  }
}
