package org.nyala.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;
import static org.nyala.replica.SyncedServers.consuming;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.budget.MemoryBounds;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.replica.SyncMessage;
import org.nyala.management.bean.SyncMXBean.Copy;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/** Copies of providers that are silent, busy, slow or never content. */
@Timeout(400)
class ScriptedReplicationTest {
  private static final int BUSY = 51;
  private static final int REFRESH_REQUIRED = 4096;

  /** The time for an answer where a stop must not wait for it. */
  private static final String PATIENT = "answerTimeoutSeconds = 300";

  /** A stop within this time has waited for no answer; machines that build stall for a while. */
  private static final Duration PROMPT = Duration.ofSeconds(60);

  private static final int ANSWER_SECONDS = 5;

  @TempDir Path folder;

  private static Copy copy(RunningServer server) {
    return server.served().copies().get().getFirst();
  }

  private RunningServer copying(String url, String more) throws Exception {
    return LocalServer.start(folder, consuming(url, "cn=a", "b") + "replication { " + more + " }");
  }

  private static void suffix(ScriptedProvider.Answers answers) throws LDAPException {
    answers.entry(
        1,
        "dn: dc=example,dc=com",
        "objectClass: domain",
        "dc: example",
        "entryUUID: 00000000-0000-0001-0000-000000000001",
        "entryCSN: 20260101000000.000000Z#000000#001#000000");
  }

  private static void shouldClosePromptly(RunningServer server) {
    long began = System.nanoTime();
    server.close();
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(PROMPT);
  }

  /** The answer may take 300 seconds, and nobody waits for it. */
  @Test
  void aServerStopsBesideASilentProvider() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      RunningServer server = copying("ldap://127.0.0.1:" + silent.getLocalPort(), PATIENT);
      silent.accept();
      assertThat(copy(server).phase()).isEqualTo("waiting");
      assertThat(copy(server).lagSeconds()).isEqualTo(-1);
      shouldClosePromptly(server);
    }
  }

  @Test
  void busyIsASignOfLife() throws Exception {
    try (ScriptedProvider provider =
            new ScriptedProvider(
                BUSY,
                answers -> {
                  suffix(answers);
                  answers.complete();
                  return -1;
                });
        RunningServer server =
            copying(
                provider.url(),
                "idleCheckSeconds = 1, writes = refuse, answerTimeoutSeconds = "
                    + ANSWER_SECONDS)) {
      // The first one is for contextCSN, and the others come a second apart: the time for the
      // answer to the first question is over with the last.
      eventually(
          "it was asked for signs of life", () -> provider.singles.get() > ANSWER_SECONDS + 2);
      assertThat(provider.searches).hasValue(1);
      assertThat(copy(server).phase()).isEqualTo("following");
      assertThat(copy(server).error()).isEmpty();
      // Without the signs of life it would never be less than the time since the refresh.
      eventually(
          "they count for the lag",
          () -> copy(server).lagSeconds() >= 0 && copy(server).lagSeconds() < ANSWER_SECONDS);
      try (LDAPConnection root = LocalServer.connectAsRoot(server)) {
        assertThatThrownBy(() -> root.delete("dc=example,dc=com"))
            .isInstanceOfSatisfying(
                LDAPException.class,
                e -> assertThat(e.getResultCode()).isEqualTo(ResultCode.UNWILLING_TO_PERFORM));
      }
    }
  }

  @Test
  void eachNamingContextHasAConnection() throws Exception {
    try (ScriptedProvider provider = new ScriptedProvider(ScriptedProvider.SUCCESS, _ -> -1);
        RunningServer server =
            LocalServer.start(
                folder,
                "suffixes = [\"dc=a\", \"dc=b\", \"dc=c\"]\n"
                    + consuming(provider.url(), "cn=a", "b")
                    + "replication.suffixes = [\"dc=c\", \"dc=a\"]")) {
      eventually("both are asked for", () -> provider.searches.get() == 2);
      assertThat(server.served().copies().get())
          .extracting(Copy::suffix)
          .containsExactly("dc=c", "dc=a");
    }
  }

  @Test
  void refreshesWithoutEndArePausedAndTold() throws Exception {
    try (ScriptedProvider provider =
            new ScriptedProvider(
                ScriptedProvider.SUCCESS,
                answers -> {
                  suffix(answers);
                  answers.complete();
                  return REFRESH_REQUIRED;
                });
        RunningServer server =
            copying(provider.url(), "retrySeconds = 3600, maximumRetrySeconds = 3600")) {
      eventually("it is told of", () -> copy(server).error().contains("another refresh"));
      assertThat(copy(server).attempts()).isEqualTo(2);
      assertThat(provider.searches).hasValue(2);
      assertThat(provider.cookies).as("it starts over").noneMatch(each -> each.contains("csn="));
    }
  }

  @Test
  void aServerStopsDuringARefreshThatItCannotKeepUpWith() throws Exception {
    try (ScriptedProvider provider =
        new ScriptedProvider(
            ScriptedProvider.SUCCESS,
            answers -> {
              suffix(answers);
              for (int i = 2; ; i++) {
                answers.entry(
                    i,
                    "dn: cn=" + i + ",dc=example,dc=com",
                    "objectClass: device",
                    "cn: " + i,
                    "description: " + "x".repeat(10_000),
                    "entryUUID: %08x-0000-0001-0000-%012x".formatted(0, i),
                    "entryCSN: 20260101000000.000000Z#000000#001#000000");
              }
            })) {
      RunningServer server =
          copying(provider.url(), "queuedMessages = 2, queuedMebibytes = 1, " + PATIENT);
      eventually("entries arrive", () -> held(server) >= 0 && copy(server).written() > 20);
      // The queue may be empty at any one look.
      eventually("entries wait", () -> held(server) > 0);
      shouldClosePromptly(server);
    }
  }

  /** Returns the memory that is held, which is never much. */
  private static long held(RunningServer server) {
    long held = server.served().directory().memory().held();
    assertThat(held).isLessThanOrEqualTo(8L << 20);
    return held;
  }

  @Test
  void aQueueHoldsBackWhoeverFillsItAndGivesItsMemoryBack() throws Exception {
    MemoryBudget budget =
        new MemoryBudget(new MemoryBounds(64 << 20, 32 << 20, 16 << 20), System::nanoTime);
    MessageQueue queue = new MessageQueue(100, budget.open("copy"), () -> 5);
    SyncMessage small = new SyncMessage.PhaseEnd(true, false, null);
    queue.put(small);
    Thread second = Thread.ofVirtual().start(() -> queue.put(small));
    eventually("it waits", () -> second.getState() == Thread.State.WAITING);
    assertThat(budget.held()).isEqualTo(64);
    assertThat(queue.take(0)).isEqualTo(new MessageQueue.Arrived(small, 5));
    second.join();
    Thread third = Thread.ofVirtual().start(() -> queue.put(small));
    eventually("it waits", () -> third.getState() == Thread.State.WAITING);
    queue.close();
    third.join();
    assertThat(budget.held()).isZero();
    assertThat(queue.take(0)).isNull();
  }

  /** Messages that have come before a promotion are taken, however fast more come. */
  @Test
  void aSealedQueueGivesWhatItHasAndTakesNothingMore() throws Exception {
    MemoryBudget budget =
        new MemoryBudget(new MemoryBounds(64 << 20, 32 << 20, 16 << 20), System::nanoTime);
    MessageQueue queue = new MessageQueue(100, budget.open("copy"), () -> 5);
    SyncMessage small = new SyncMessage.PhaseEnd(true, false, null);
    queue.put(small);
    Thread second = Thread.ofVirtual().start(() -> queue.put(small));
    eventually("it waits", () -> second.getState() == Thread.State.WAITING);
    queue.seal();
    second.join();
    queue.put(small);
    assertThat(queue.isSealed()).isTrue();
    assertThat(queue.take(60_000)).isEqualTo(new MessageQueue.Arrived(small, 5));
    assertThat(queue.take(60_000)).as("at once").isNull();
    assertThat(budget.held()).isZero();
  }
}
