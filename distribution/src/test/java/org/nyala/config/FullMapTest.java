package org.nyala.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchScope;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.Notification;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.Installation;
import org.nyala.management.ManagementBeans;
import org.nyala.management.ServerWatch;
import org.nyala.management.WatchSettings;
import org.nyala.management.bean.NoticeKind;
import org.nyala.management.bean.ServerMXBean.Reloaded;
import org.nyala.management.bean.StoreMXBean;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;
import org.nyala.service.Heartbeat;

/** Tests a store that has grown to its bound. */
class FullMapTest {
  private static final String SUFFIX = "dc=example,dc=com";
  private static final int MAP_BYTES = 4 << 20;
  private static final String REASON = "the store is full: raise nyala.store.maximumMapSizeGiB";

  @TempDir Path folder;

  private final MBeanServer registry = MBeanServerFactory.newMBeanServer();
  private final Queue<Notification> heard = new ConcurrentLinkedQueue<>();

  private NyalaConfig configuration() throws Exception {
    Path file = ServerProcess.configure(folder, "store { mapSizeGiB = 1, maximumMapSizeGiB = 1 }");
    return LocalServer.bounded(ConfigurationFile.read(file, folder), MAP_BYTES);
  }

  private Object attribute(String name) throws Exception {
    return registry.getAttribute(new ObjectName(StoreMXBean.NAME), name);
  }

  private List<String> types() {
    return heard.stream().map(Notification::getType).toList();
  }

  private static void add(LDAPConnection client, int number) throws Exception {
    client.add(
        "dn: ou=" + number + "," + SUFFIX,
        "objectClass: organizationalUnit",
        "description: " + "x".repeat(50_000));
  }

  @Test
  void shouldTellThatChangesFailUntilEntriesAreDeleted() throws Exception {
    try (RunningServer server = RunningServer.start(configuration(), Installation.current());
        ManagementBeans beans = new ManagementBeans(registry, server.served().notices());
        LDAPConnection client = LocalServer.connectAsRoot(server);
        ServerWatch watch = new ServerWatch(server.served(), WatchSettings.DEFAULT)) {
      beans.with(server.served(), "nyala test");
      registry.addNotificationListener(
          new ObjectName(StoreMXBean.NAME), (told, _) -> heard.add(told), null, null);
      client.add("dn: " + SUFFIX, "objectClass: domain", "dc: example");
      watch.look();
      int count = fill(client);
      assertThat(attribute("Failing")).isEqualTo(true);
      assertThat(attribute("LastCommitFailure")).isEqualTo(REASON);
      watch.look();
      assertThat(types())
          .contains(NoticeKind.CHANGES_FAIL.type(), NoticeKind.MAP_NEARLY_FULL.type());
      // Deletions succeed even though nothing could be added.
      client.delete("ou=0," + SUFFIX);
      assertThat(attribute("Failing")).isEqualTo(true);
      for (int number = 1; number < count; number++) {
        client.delete("ou=" + number + "," + SUFFIX);
      }
      add(client, count);
      assertThat(attribute("Failing")).isEqualTo(false);
      watch.look();
      assertThat(types()).contains(NoticeKind.CHANGES_FAIL.overType());
      assertThat(client.search(SUFFIX, SearchScope.SUB, "(objectClass=*)", "1.1").getEntryCount())
          .isEqualTo(2);
    }
  }

  @Test
  void shouldStoreChangesAgainOnceAReloadHasRaisedTheMaximum() throws Exception {
    AtomicReference<NyalaConfig> file = new AtomicReference<>(configuration());
    try (RunningServer server =
            RunningServer.start(file.get(), Installation.current(), file::get, Heartbeat.none());
        LDAPConnection client = LocalServer.connectAsRoot(server)) {
      client.add("dn: " + SUFFIX, "objectClass: domain", "dc: example");
      int count = fill(client);
      NyalaConfig larger =
          ConfigurationFile.read(
              ServerProcess.configure(folder, "store { mapSizeGiB = 1, maximumMapSizeGiB = 2 }"),
              folder);
      file.set(larger);
      Reloaded reloaded = server.served().control().reload();
      assertThat(reloaded.tookEffect())
          .containsExactly("nyala.store.maximumMapSizeGiB = 2 (was 1)");
      assertThat(reloaded.needRestart()).isEmpty();
      for (int number = count; number < 2 * count; number++) {
        add(client, number);
      }
      assertThat(server.served().store().status().space().maximumBytes()).isEqualTo(2L << 30);
      file.set(LocalServer.bounded(larger, MAP_BYTES));
      assertThatThrownBy(() -> server.served().control().reload())
          .hasMessageContaining("nyala.store.maximumMapSizeGiB")
          .hasMessageContaining("cannot be bounded to less");
      file.set(LocalServer.bounded(larger, 3 * MAP_BYTES));
      Reloaded smaller = server.served().control().reload();
      assertThat(smaller.needRestart()).isEmpty();
      fill(client, 2 * count);
    }
  }

  private static int fill(LDAPConnection client) throws Exception {
    return fill(client, 0);
  }

  private static int fill(LDAPConnection client, int from) throws Exception {
    int count = from;
    while (true) {
      assertThat(count).isLessThan(400);
      try {
        add(client, count);
        count++;
      } catch (LDAPException e) {
        int number = count;
        assertThat(e.getResultCode()).as(e.getMessage()).isEqualTo(ResultCode.UNAVAILABLE);
        assertThat(e.getDiagnosticMessage()).isEqualTo(REASON);
        assertThatThrownBy(() -> add(client, number)).hasMessageContaining("is full");
        assertThat(client.search(SUFFIX, SearchScope.ONE, "(ou=*)", "1.1").getEntryCount())
            .isEqualTo(count);
        return count;
      }
    }
  }
}
