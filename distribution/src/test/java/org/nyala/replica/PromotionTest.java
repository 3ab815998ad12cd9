package org.nyala.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;
import static org.nyala.replica.SyncedServers.consuming;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.ResultCode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nyala.management.ManagementBeans;
import org.nyala.management.bean.SyncMXBean;
import org.nyala.management.bean.SyncMXBean.Switched;
import org.nyala.process.FreePorts;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/** Promotions that are refused, forced and taken back. */
@Timeout(300)
class PromotionTest extends PromotionTestCase {
  private int port;
  private int copyPort;

  @BeforeEach
  void populate() throws Exception {
    port = FreePorts.take();
    try (RunningServer server = provider("");
        LDAPConnection client = LocalServer.connectAsRoot(server)) {
      addTop(client);
    }
    copyPort = FreePorts.take();
  }

  private RunningServer provider(String more) throws Exception {
    return at("provider", 1, port, more);
  }

  /** A provider that accepts no changes: it refers them to the copy, which it cannot follow. */
  private RunningServer closed() throws Exception {
    return provider(consuming(url(copyPort), "cn=admin", "wrong"));
  }

  private RunningServer copy(int serverId) throws Exception {
    return at("copy", serverId, copyPort, of(port));
  }

  @Test
  void takesANumberThatNobodyHas() throws Exception {
    try (RunningServer _ = closed()) {
      for (int taken : new int[] {0, 1}) {
        try (RunningServer copy = copy(taken);
            ManagementBeans _ = register(copy)) {
          awaitFollowing();
          requireRefused(
              sync().promote(SUFFIX, true, false, 0),
              taken == 0 ? "serverId is 0" : "another server has made changes with the number 1");
          requireReferred(copy);
          awaitFollowing();
        }
      }
    }
  }

  @Test
  void waitsForTheEndOfChangesAtTheProvider() throws Exception {
    try (RunningServer provider = provider("");
        RunningServer copy = copy(2);
        ManagementBeans _ = register(copy)) {
      awaitFollowing();
      requireRefused(sync().promote(SUFFIX, false, false, 0), "still accepts changes");
      add(provider, "late");
      awaitFollowing();
      requireReferred(copy);
    }
  }

  @Test
  void holdsUntilItIsTakenBack() throws Exception {
    try (RunningServer _ = closed()) {
      try (RunningServer copy = copy(2);
          ManagementBeans _ = register(copy)) {
        awaitFollowing();
        assertThat(sync().promote(SUFFIX, false, true, 0).done()).isTrue();
        requireReferred(copy);
        assertThat(sync().promote(SUFFIX, false, false, 0).done()).isTrue();
        add(copy, "own");
        assertThat(sync().promote(SUFFIX, false, false, 0).lines())
            .singleElement()
            .asString()
            .contains("nothing to do");
      }
      try (RunningServer copy = copy(2);
          ManagementBeans _ = register(copy)) {
        assertThat(sync().getCopies().getFirst().phase()).isEqualTo("promoted");
        add(copy, "after");
        requireRefused(
            sync().follow(SUFFIX, false, 0), "the provider lacks changes of this server");
        add(copy, "still");
      }
    }
  }

  /** Another server must not take it for the end of changes, which may go on. */
  @Test
  void isBusyUntilTheProviderHasEverything() throws Exception {
    try (RunningServer _ = closed()) {
      CompletableFuture<Switched> following;
      try (RunningServer copy = copy(2);
          ManagementBeans _ = register(copy)) {
        SyncMXBean sync = sync();
        awaitFollowing();
        assertThat(sync.promote("DC=Example, DC=com", false, false, 0).done()).isTrue();
        assertThatThrownBy(() -> sync.retry(SUFFIX)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> sync.confirm(SUFFIX, 1)).isInstanceOf(IllegalStateException.class);
        add(copy, "own");
        following = CompletableFuture.supplyAsync(() -> sync.follow(SUFFIX, false, 1000));
        AtomicInteger count = new AtomicInteger();
        eventually(
            "changes end",
            () -> result(copy, "n" + count.incrementAndGet()).equals(ResultCode.BUSY));
        assertThat(ProviderState.read(SyncedServers.access(copy), SUFFIX).acceptsChanges())
            .isTrue();
      }
      assertThatThrownBy(following::join).hasMessageContaining("the server stops");
    }
  }

  @Test
  void isForcedWithoutAProvider() throws Exception {
    try (RunningServer copy = copy(2);
        ManagementBeans _ = register(copy)) {
      try (RunningServer _ = closed()) {
        awaitFollowing();
      }
      eventually(
          "the provider is gone", () -> !sync().getCopies().getFirst().phase().equals("following"));
      requireRefused(
          sync().promote(SUFFIX, false, false, 0),
          "does not follow its provider",
          "cannot be asked",
          "if the provider is lost for good: nyala promote --force --suffix \"" + SUFFIX + "\"");
      assertThat(sync().promote(SUFFIX, true, true, 0).lines())
          .anyMatch(line -> line.startsWith("forced although the copy does not follow"));
      requireReferred(copy);
      assertThat(sync().promote(SUFFIX, true, false, 0).done()).isTrue();
      add(copy, "own");
      requireRefused(sync().follow(SUFFIX, false, 0), "cannot be asked");
      add(copy, "more");
      assertThat(sync().follow(SUFFIX, true, 0).done()).isTrue();
      requireReferred(copy);
      assertThat(sync().follow(SUFFIX, true, 0).lines())
          .singleElement()
          .asString()
          .contains("nothing to do");
      assertThat(sync().promote(SUFFIX, true, false, 0).done()).isTrue();
      add(copy, "again");
    }
  }
}
