package org.nyala.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.replica.SyncedServers.consuming;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.management.JMX;
import javax.management.ObjectName;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.management.ManagementBeans;
import org.nyala.management.ServerWatch;
import org.nyala.management.WatchSettings;
import org.nyala.management.bean.SyncMXBean;
import org.nyala.management.bean.SyncMXBean.ContextEpoch;
import org.nyala.management.bean.SyncMXBean.Switched;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/** Servers in folders of their own, of which one at a time is managed. */
abstract class PromotionTestCase {
  static final String SUFFIX = SyncSlapd.SUFFIX;

  @TempDir Path folder;

  /** Returns the folder of a server, which exists then. */
  Path folder(String name) throws Exception {
    return Files.createDirectories(folder.resolve(name));
  }

  /** Adds the topmost entry. */
  static void addTop(LDAPConnection client) throws Exception {
    client.add(
        "dn: " + SUFFIX,
        "objectClass: organization",
        "objectClass: dcObject",
        "o: x",
        "dc: example");
  }

  static String url(int port) {
    return "ldap://127.0.0.1:" + port;
  }

  /** Returns the configuration of a copy of the server at a port. */
  static String of(int provider) {
    return consuming(url(provider), "cn=admin", "admin");
  }

  /** Starts a server at a port. */
  RunningServer at(String name, int serverId, int port, String more) throws Exception {
    return LocalServer.start(
        folder(name), "listeners = [\"" + url(port) + "\"]\nserverId = " + serverId + "\n" + more);
  }

  /** The management of the one server that is registered. */
  static SyncMXBean sync() throws Exception {
    return JMX.newMXBeanProxy(
        ManagementFactory.getPlatformMBeanServer(),
        new ObjectName(SyncMXBean.NAME),
        SyncMXBean.class);
  }

  static ManagementBeans register(RunningServer server) {
    return server.register(ManagementFactory.getPlatformMBeanServer());
  }

  static void awaitFollowing() throws Exception {
    SyncMXBean sync = sync();
    eventually("the copy follows", () -> sync.getCopies().getFirst().phase().equals("following"));
  }

  /** Returns the epochs that a server knows, which nobody manages. */
  static ContextEpoch epoch(RunningServer server) throws Exception {
    try (ManagementBeans _ = register(server)) {
      return sync().getEpochs().getFirst();
    }
  }

  /** Returns the alarms of a server as they are now. */
  static List<String> alarms(RunningServer server) {
    new ServerWatch(server.served(), WatchSettings.DEFAULT).look();
    return server.served().notices().alarms();
  }

  /** Waits for the end of an alarm: what is equal already may be noted a moment later. */
  static void awaitNoAlarm(RunningServer server, String text) {
    eventually(
        "no alarm of '" + text + "'",
        () -> alarms(server).stream().noneMatch(each -> each.contains(text)));
  }

  static void awaitSuperseded(RunningServer server, int epoch) throws Exception {
    eventually("it hears of epoch " + epoch, () -> epoch(server).otherEpoch() == epoch);
  }

  static void requireDone(Switched switched) {
    assertThat(switched.done()).as("%s", switched.lines()).isTrue();
  }

  static void requireRefused(Switched switched, String... reasons) {
    assertThat(switched.done()).as("%s", switched.lines()).isFalse();
    for (String reason : reasons) {
      assertThat(switched.lines()).anyMatch(line -> line.contains(reason));
    }
  }

  /** Promotes a server that nobody manages. */
  static void promote(RunningServer server, boolean isForced) throws Exception {
    try (ManagementBeans _ = register(server)) {
      requireDone(sync().promote(SUFFIX, isForced, false, isForced ? 0 : 20));
    }
  }

  static void add(RunningServer server, String name) throws Exception {
    try (LDAPConnection client = LocalServer.connectAsRoot(server)) {
      client.add("dn: ou=" + name + "," + SUFFIX, "objectClass: organizationalUnit");
    }
  }

  static ResultCode result(RunningServer server, String name) throws Exception {
    try {
      add(server, name);
      return ResultCode.SUCCESS;
    } catch (LDAPException e) {
      return e.getResultCode();
    }
  }

  static void requireReferred(RunningServer server) throws Exception {
    assertThat(result(server, "refused")).isEqualTo(ResultCode.REFERRAL);
  }
}
