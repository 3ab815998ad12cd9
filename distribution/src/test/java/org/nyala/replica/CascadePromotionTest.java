package org.nyala.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.replica.SyncedServers.access;
import static org.nyala.replica.SyncedServers.awaitEqual;
import static org.nyala.replica.SyncedServers.consuming;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.management.JMX;
import javax.management.ObjectName;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.management.ManagementBeans;
import org.nyala.management.bean.SyncMXBean;
import org.nyala.management.bean.SyncMXBean.Switched;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/** Promotions of the last of three servers, whose provider only refers to the first. */
@Timeout(240)
class CascadePromotionTest {
  private static final String SUFFIX = SyncSlapd.SUFFIX;

  @TempDir Path folder;
  private int first;
  private int second;

  @BeforeEach
  void populate() throws Exception {
    try (RunningServer server = LocalServer.start(folder("a"), "serverId = 1");
        LDAPConnection client = LocalServer.connectAsRoot(server)) {
      first = LocalServer.port(server);
      client.add(
          "dn: " + SUFFIX,
          "objectClass: organization",
          "objectClass: dcObject",
          "o: x",
          "dc: example");
      try (RunningServer copy = LocalServer.start(folder("b"), "serverId = 2\n" + of(first))) {
        second = LocalServer.port(copy);
        awaitEqual(access(server), access(copy));
      }
    }
  }

  private Path folder(String name) throws Exception {
    return Files.createDirectories(folder.resolve(name));
  }

  private static String of(int provider) {
    return consuming("ldap://127.0.0.1:" + provider, "cn=admin", "admin");
  }

  private RunningServer at(String name, int serverId, int port, String more) throws Exception {
    String listeners = "listeners = [\"ldap://127.0.0.1:" + port + "\"]\n";
    return LocalServer.start(folder(name), listeners + "serverId = " + serverId + "\n" + more);
  }

  private RunningServer a(String more) throws Exception {
    return at("a", 1, first, more);
  }

  private RunningServer b() throws Exception {
    return at("b", 2, second, of(first));
  }

  private RunningServer c() throws Exception {
    return LocalServer.start(folder("c"), "serverId = 3\n" + of(second));
  }

  private static SyncMXBean sync() throws Exception {
    return JMX.newMXBeanProxy(
        ManagementFactory.getPlatformMBeanServer(),
        new ObjectName(SyncMXBean.NAME),
        SyncMXBean.class);
  }

  private static ManagementBeans register(RunningServer server) {
    return server.register(ManagementFactory.getPlatformMBeanServer());
  }

  private static void add(RunningServer server, String name) throws Exception {
    try (LDAPConnection client = LocalServer.connectAsRoot(server)) {
      client.add("dn: ou=" + name + "," + SUFFIX, "objectClass: organizationalUnit");
    }
  }

  private static ResultCode result(RunningServer server, String name) throws Exception {
    try {
      add(server, name);
      return ResultCode.SUCCESS;
    } catch (LDAPException e) {
      return e.getResultCode();
    }
  }

  private static void awaitFollowing() throws Exception {
    SyncMXBean sync = sync();
    eventually("the copy follows", () -> sync.getCopies().getFirst().phase().equals("following"));
  }

  private static void requireRefused(Switched switched, String reason) {
    assertThat(switched.done()).as("%s", switched.lines()).isFalse();
    assertThat(switched.lines()).anyMatch(line -> line.contains(reason));
  }

  @Test
  void isRefusedWhileTheFirstServerAcceptsChanges() throws Exception {
    try (RunningServer a = a("");
        RunningServer _ = b();
        RunningServer c = c();
        ManagementBeans _ = register(c)) {
      awaitFollowing();
      String open = "ldap://127.0.0.1:" + first + ", to which changes are referred, still accepts";
      requireRefused(sync().promote(SUFFIX, false, false, 0), open);
      requireRefused(sync().promote(SUFFIX, true, false, 0), open);
      assertThat(result(c, "refused")).isEqualTo(ResultCode.REFERRAL);
      add(a, "goes-on");
      awaitEqual(access(a), access(c));
    }
  }

  @Test
  void isDoneOnceTheFirstServerIsClosed() throws Exception {
    try (RunningServer _ = a("readOnly = true");
        RunningServer _ = b();
        RunningServer c = c();
        ManagementBeans _ = register(c)) {
      awaitFollowing();
      Switched promoted = sync().promote(SUFFIX, false, false, 20);
      assertThat(promoted.done()).as("%s", promoted.lines()).isTrue();
      add(c, "own");
    }
  }

  @Test
  void takesForceIfTheFirstServerIsAway() throws Exception {
    try (RunningServer _ = b();
        RunningServer c = c();
        ManagementBeans _ = register(c)) {
      awaitFollowing();
      requireRefused(
          sync().promote(SUFFIX, false, false, 0), "to which changes are referred cannot be asked");
      assertThat(sync().promote(SUFFIX, true, false, 0).done()).isTrue();
      add(c, "lost");
      requireRefused(sync().follow(SUFFIX, false, 0), "lacks changes of this server");
      assertThat(sync().follow(SUFFIX, true, 0).done()).isTrue();
      try (RunningServer a = a("")) {
        awaitFollowing();
        awaitEqual(access(a), access(c));
        add(a, "later");
        awaitEqual(access(a), access(c));
      }
    }
  }

  /** It was the first writer, and was never promoted: its number is its own all the same. */
  @Test
  void theFirstServerTakesItsPlaceBack() throws Exception {
    try (RunningServer b = b()) {
      try (ManagementBeans _ = register(b)) {
        assertThat(sync().promote(SUFFIX, true, false, 0).done()).isTrue();
      }
      add(b, "new");
      try (RunningServer a = a(of(second))) {
        awaitEqual(access(b), access(a));
        try (ManagementBeans _ = register(b)) {
          Switched follows = sync().follow(SUFFIX, false, 20);
          assertThat(follows.done()).as("%s", follows.lines()).isTrue();
        }
        try (ManagementBeans _ = register(a)) {
          awaitFollowing();
          // Each of the two refers to the other one.
          Switched promoted = sync().promote(SUFFIX, false, false, 20);
          assertThat(promoted.done()).as("%s", promoted.lines()).isTrue();
        }
        add(a, "back");
        awaitEqual(access(a), access(b));
      }
    }
  }
}
