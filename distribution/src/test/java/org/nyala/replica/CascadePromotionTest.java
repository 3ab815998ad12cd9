package org.nyala.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.replica.SyncedServers.access;
import static org.nyala.replica.SyncedServers.awaitEqual;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.ResultCode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nyala.management.ManagementBeans;
import org.nyala.process.FreePorts;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/** Promotions of the last of three servers, whose provider only refers to the first. */
@Timeout(300)
class CascadePromotionTest extends PromotionTestCase {
  private int first;
  private int second;

  @BeforeEach
  void populate() throws Exception {
    first = FreePorts.take();
    second = FreePorts.take();
    try (RunningServer server = a("");
        LDAPConnection client = LocalServer.connectAsRoot(server)) {
      addTop(client);
      try (RunningServer copy = b()) {
        awaitEqual(access(server), access(copy));
      }
    }
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
      requireDone(sync().promote(SUFFIX, false, false, 20));
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
      promote(b, true);
      add(b, "new");
      try (RunningServer a = a(of(second))) {
        awaitEqual(access(b), access(a));
        try (ManagementBeans _ = register(b)) {
          requireDone(sync().follow(SUFFIX, false, 20));
        }
        try (ManagementBeans _ = register(a)) {
          awaitFollowing();
          // Each of the two refers to the other one.
          requireDone(sync().promote(SUFFIX, false, false, 20));
        }
        add(a, "back");
        awaitEqual(access(a), access(b));
      }
    }
  }
}
