package org.nyala.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.replica.SyncedServers.access;
import static org.nyala.replica.SyncedServers.awaitEqual;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.ResultCode;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nyala.management.ManagementBeans;
import org.nyala.process.FreePorts;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/** Servers whose data is of an earlier epoch than others know: restored from backups, imported. */
@Timeout(300)
class OlderEpochTest extends PromotionTestCase {
  private final LocalCommands commands = new LocalCommands();
  private int first;
  private int second;
  private int third;

  /** The ways in which a server comes to data of an earlier time. */
  enum Way {
    BACKUP,
    IMPORT
  }

  @BeforeEach
  void populate() throws Exception {
    first = FreePorts.take();
    second = FreePorts.take();
    third = FreePorts.take();
    try (RunningServer a = a();
        LDAPConnection client = LocalServer.connectAsRoot(a)) {
      addTop(client);
      add(a, "before");
      try (RunningServer b = b();
          RunningServer c = c(first)) {
        awaitEqual(access(a), access(b));
        awaitEqual(access(a), access(c));
      }
    }
  }

  private RunningServer a() throws Exception {
    return at("a", 1, first, "");
  }

  private RunningServer b() throws Exception {
    return at("b", 2, second, of(first));
  }

  private RunningServer c(int provider) throws Exception {
    return at("c", 3, third, of(provider));
  }

  private void run(String server, String... arguments) throws Exception {
    commands.shouldSucceed(folder(server).resolve("test.conf"), arguments);
  }

  private Path kept(String server, Way way) {
    return folder.resolve(server + "-" + way);
  }

  private void keep(String server, Way way) throws Exception {
    String file = kept(server, way).toString();
    switch (way) {
      case BACKUP -> run(server, "backup", file);
      case IMPORT -> run(server, "export", "-o", file);
    }
  }

  private void bringBack(String server, Way way) throws Exception {
    String file = kept(server, way).toString();
    switch (way) {
      case BACKUP -> run(server, "restore", file, "--discard-old");
      case IMPORT -> run(server, "import", "--replace", file);
    }
  }

  private static void requireRemedy(RunningServer server, String alarm) throws Exception {
    assertThat(alarms(server))
        .anyMatch(each -> each.contains(alarm) && each.contains("older than its own changes"));
    assertThat(epoch(server).remedy())
        .contains("Restore a later backup")
        .contains("nyala promote --force");
    try (ManagementBeans _ = register(server)) {
      requireRefused(sync().promote(SUFFIX, false, false, 0), "what it has changed is not here");
    }
  }

  /** A copy that has what its provider has lost takes the word of an administrator. */
  private static void confirm(RunningServer copy) throws Exception {
    try (ManagementBeans _ = register(copy)) {
      eventually("the copy stops", () -> sync().getCopies().getFirst().guarded() > 0);
      sync().confirm(SUFFIX, sync().getCopies().getFirst().guarded());
    }
  }

  private static void requireOne(int epoch, int writer, RunningServer... servers) throws Exception {
    for (RunningServer each : servers) {
      eventually(
          "all have one epoch",
          () -> {
            var known = epoch(each);
            return known.epoch() == epoch && known.writer() == writer && !known.isSuperseded();
          });
      awaitNoAlarm(each, "");
    }
  }

  /** It is configured as a copy, which it was at that time. */
  @ParameterizedTest
  @EnumSource
  void aPromotedServerStops(Way way) throws Exception {
    keep("b", way);
    try (RunningServer b = b()) {
      promote(b, true);
      add(b, "lost");
      try (RunningServer c = c(second)) {
        awaitEqual(access(b), access(c));
      }
    }
    bringBack("b", way);
    try (RunningServer b = b();
        RunningServer c = c(second)) {
      awaitSuperseded(b, 1);
      requireReferred(b);
      requireRemedy(b, "server 2 was promoted to change " + SUFFIX + " in epoch 1");
      goOn(b, c);
      requireOne(2, 2, b, c);
    }
  }

  /** Has a server that was stopped change the data by force, and another one copy it. */
  private static void goOn(RunningServer server, RunningServer copy) throws Exception {
    promote(server, true);
    add(server, "again");
    confirm(copy);
    awaitEqual(access(server), access(copy));
  }

  @ParameterizedTest
  @EnumSource
  void aServerThatCopiesFromNobodyStops(Way way) throws Exception {
    keep("a", way);
    try (RunningServer b = b()) {
      promote(b, true);
      try (RunningServer a = a()) {
        awaitSuperseded(a, 1);
        promote(a, true);
        add(a, "lost");
        try (ManagementBeans _ = register(b)) {
          requireDone(sync().follow(SUFFIX, true, 0));
        }
        awaitEqual(access(a), access(b));
        requireOne(2, 1, a, b);
      }
    }
    bringBack("a", way);
    try (RunningServer a = a();
        RunningServer b = b()) {
      awaitSuperseded(a, 2);
      assertThat(result(a, "refused")).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
      requireRemedy(a, "server 1 was promoted to change " + SUFFIX + " in epoch 2");
      goOn(a, b);
      requireOne(3, 1, a, b);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aCopyTakesTheEpochAgain(Way way) throws Exception {
    keep("c", way);
    try (RunningServer b = b()) {
      promote(b, true);
      add(b, "new");
      try (RunningServer c = c(second)) {
        awaitEqual(access(b), access(c));
        requireOne(1, 2, b, c);
      }
    }
    bringBack("c", way);
    try (RunningServer b = b();
        RunningServer c = c(second)) {
      awaitEqual(access(b), access(c));
      requireOne(1, 2, b, c);
      add(b, "later");
      awaitEqual(access(b), access(c));
      requireReferred(c);
    }
  }

  /** The backup is of a time at which it was the writer, and it would go on as that. */
  @Test
  void aFormerWriterHearsBeforeItChangesMuch() throws Exception {
    try (RunningServer b = b()) {
      promote(b, true);
      add(b, "new");
      try (RunningServer c = c(second)) {
        awaitEqual(access(b), access(c));
      }
    }
    keep("b", Way.BACKUP);
    try (RunningServer c = c(second)) {
      promote(c, true);
      add(c, "newer");
      try (RunningServer b = b()) {
        awaitSuperseded(b, 2);
      }
    }
    bringBack("b", Way.BACKUP);
    try (RunningServer c = c(second)) {
      add(c, "newest");
      try (RunningServer b = b()) {
        awaitSuperseded(b, 2);
        assertThat(result(b, "refused")).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
        assertThat(alarms(b))
            .anyMatch(each -> each.contains("server 3 was promoted to change " + SUFFIX));
      }
      try (RunningServer b = at("b", 2, second, of(third))) {
        try (ManagementBeans _ = register(b)) {
          requireDone(sync().follow(SUFFIX, true, 0));
        }
        awaitEqual(access(b), access(c));
        requireOne(2, 3, b, c);
        requireReferred(b);
      }
    }
  }
}
