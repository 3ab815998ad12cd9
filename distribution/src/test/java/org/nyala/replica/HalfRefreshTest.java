package org.nyala.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.replica.SyncedServers.access;
import static org.nyala.replica.SyncedServers.awaitEqual;
import static org.nyala.replica.SyncedServers.differences;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nyala.management.ManagementBeans;
import org.nyala.management.bean.SyncMXBean.Copy;
import org.nyala.process.FreePorts;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/**
 * A server, a copy whose refresh is cut in the middle again and again, and a copy of that one: it
 * gets nothing of a refresh that has not ended.
 */
@Timeout(300)
class HalfRefreshTest extends PromotionTestCase {
  private static final int PEOPLE = 600;
  private static final int DESCRIPTION = 500;

  /** A part of what the people take, with more of them than are written at once. */
  private static final long HALF = 300_000;

  private final AtomicLong bound = new AtomicLong(Long.MAX_VALUE);
  private int first;
  private int second;
  private CutLine line;

  @BeforeEach
  void open() throws Exception {
    first = FreePorts.take();
    second = FreePorts.take();
    line = new CutLine(first, bound::get);
    try (RunningServer server = first();
        LDAPConnection client = LocalServer.connectAsRoot(server)) {
      addTop(client);
    }
  }

  @AfterEach
  void close() throws Exception {
    line.close();
  }

  private RunningServer first() throws Exception {
    return at("first", 1, first, "");
  }

  private RunningServer second() throws Exception {
    return at("second", 2, second, of(line.port()));
  }

  private RunningServer third() throws Exception {
    return LocalServer.start(folder("third"), "serverId = 3\n" + of(second));
  }

  private static void addPeople(RunningServer server, String name) throws Exception {
    try (LDAPConnection client = LocalServer.connectAsRoot(server)) {
      for (int i = 0; i < PEOPLE; i++) {
        String uid = name + i;
        client.add(
            "dn: uid=" + uid + "," + SUFFIX,
            "objectClass: inetOrgPerson",
            "uid: " + uid,
            "cn: P",
            "sn: P",
            "description: " + "d".repeat(DESCRIPTION));
      }
    }
  }

  private static int people(RunningServer server, String name) throws Exception {
    try (LDAPConnection client = LocalServer.connectAsRoot(server)) {
      SearchResultEntry top = client.getEntry(SUFFIX, "1.1");
      return top == null
          ? 0
          : client.search(SUFFIX, SearchScope.SUB, "(uid=" + name + "*)", "1.1").getEntryCount();
    } catch (LDAPException e) {
      throw new AssertionError(e);
    }
  }

  /** Waits until a copy has a part of some people, after the line was cut. */
  private void awaitHalf(RunningServer copy, String name) throws Exception {
    long cuts = line.cuts();
    eventually("the line is cut", () -> line.cuts() > cuts && people(copy, name) > 0);
    assertThat(people(copy, name)).isLessThan(PEOPLE);
  }

  private static void awaitBusy(RunningServer copy) throws Exception {
    try (ManagementBeans _ = register(copy)) {
      eventually(
          "the copy waits",
          () ->
              sync()
                  .getCopies()
                  .getFirst()
                  .error()
                  .contains("a refresh from its own provider has not ended yet"));
    }
  }

  @Test
  void theFirstRefreshIsAwaited() throws Exception {
    bound.set(HALF);
    try (RunningServer a = first()) {
      addPeople(a, "p");
      try (RunningServer b = second();
          RunningServer c = third()) {
        awaitHalf(b, "p");
        awaitBusy(c);
        assertThat(people(c, "p")).isZero();
        bound.set(Long.MAX_VALUE);
        awaitEqual(access(a), access(c));
      }
    }
  }

  /** A restart in the middle changes nothing, nor does a provider that is away. */
  @Test
  void aLaterRefreshIsAwaitedByACopyThatHasWhatWasThereBefore() throws Exception {
    try (RunningServer a = first()) {
      add(a, "before");
      try (RunningServer b = second();
          RunningServer c = third()) {
        awaitEqual(access(a), access(b));
        awaitEqual(access(a), access(c));
      }
      bound.set(HALF);
      addPeople(a, "p");
      try (RunningServer b = second()) {
        awaitHalf(b, "p");
      }
    }
    try (RunningServer b = second();
        RunningServer c = third()) {
      awaitBusy(c);
      assertThat(people(b, "p")).isPositive();
      assertThat(people(c, "p")).isZero();
      bound.set(Long.MAX_VALUE);
      try (RunningServer a = first()) {
        awaitEqual(access(a), access(b));
        awaitEqual(access(a), access(c));
      }
    }
  }

  /** A copy with a part of a refresh, without numbers, that the provider has lost. */
  @Test
  void aProviderThatWasCopiedBackMeanwhileIsCopiedAnew() throws Exception {
    Path data = folder("first").resolve("data/data.mdb");
    Path old = folder.resolve("old.mdb");
    try (RunningServer a = first();
        RunningServer b = second()) {
      add(a, "before");
      awaitEqual(access(a), access(b));
    }
    Files.copy(data, old);
    try (RunningServer a = first()) {
      addPeople(a, "lost");
      bound.set(HALF);
      try (RunningServer b = second()) {
        awaitHalf(b, "lost");
      }
    }
    Files.copy(old, data, StandardCopyOption.REPLACE_EXISTING);
    bound.set(Long.MAX_VALUE);
    try (RunningServer a = first();
        RunningServer b = second();
        ManagementBeans _ = register(b)) {
      add(a, "later");
      // The guard asks before so many are deleted.
      eventually("it is known", () -> sync().getCopies().getFirst().guarded() > 0);
      sync().confirm(SUFFIX, sync().getCopies().getFirst().guarded());
      awaitEqual(access(a), access(b));
      assertThat(people(b, "lost")).isZero();
    }
  }

  /** The copy of the copy alone has what both have lost, with a number that the journals lack. */
  @Test
  void twoServersThatWereCopiedBackAreCopiedAnew() throws Exception {
    try (RunningServer a = first();
        RunningServer b = second();
        RunningServer c = third()) {
      add(a, "before");
      awaitEqual(access(a), access(b));
      awaitEqual(access(a), access(c));
    }
    for (String each : new String[] {"first", "second"}) {
      Files.copy(folder(each).resolve("data/data.mdb"), folder.resolve(each + ".mdb"));
    }
    try (RunningServer a = first();
        RunningServer b = second();
        RunningServer c = third()) {
      add(a, "lost");
      awaitEqual(access(a), access(b));
      awaitEqual(access(a), access(c));
    }
    for (String each : new String[] {"first", "second"}) {
      Files.copy(
          folder.resolve(each + ".mdb"),
          folder(each).resolve("data/data.mdb"),
          StandardCopyOption.REPLACE_EXISTING);
    }
    try (RunningServer a = first()) {
      add(a, "new");
      try (RunningServer b = second()) {
        awaitEqual(access(a), access(b));
        try (RunningServer c = third()) {
          awaitEqual(access(a), access(c));
          assertThat(differences(access(b), access(c))).isEmpty();
        }
      }
    }
  }

  /** A half of the entries is nobody's directory, whatever the configuration says. */
  @Test
  void aHalfThatIsNoCopyAnyMoreIsTakenByForceAlone() throws Exception {
    bound.set(HALF);
    try (RunningServer a = first()) {
      addPeople(a, "p");
      try (RunningServer b = second()) {
        awaitHalf(b, "p");
      }
    }
    LocalCommands commands = new LocalCommands();
    Path configuration = ServerProcess.configure(folder("second"), "");
    String ldif = folder.resolve("half.ldif").toString();
    commands.shouldSucceed(configuration, "export", "-o", ldif);
    assertThat(commands.err()).contains("the export of " + SUFFIX + " is not whole");
    try (RunningServer b = at("second", 2, second, "");
        RunningServer c = third()) {
      awaitBusy(c);
      assertThat(people(b, "p")).isPositive().isLessThan(PEOPLE);
      assertThat(result(b, "refused")).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
      try (ManagementBeans _ = register(b)) {
        Copy half = sync().getCopies().getFirst();
        assertThat(half.phase()).isEqualTo("unfinished");
        assertThat(half.ready()).isFalse();
        assertThat(half.error()).contains("nyala promote --force");
        assertThat(alarms(b)).anyMatch(each -> each.contains("begun and not ended"));
        requireRefused(
            sync().promote(SUFFIX, false, false, 0), "a refresh from " + url(line.port()));
        assertThat(result(b, "refused")).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
        requireDone(sync().promote(SUFFIX, true, false, 0));
        requireDone(sync().promote(SUFFIX, false, false, 0));
        assertThat(sync().getCopies().getFirst().phase()).isEqualTo("promoted");
        assertThat(sync().getCopies().getFirst().ready()).isTrue();
        assertThat(alarms(b)).noneMatch(each -> each.contains("begun and not ended"));
      }
      add(b, "after");
      awaitEqual(access(b), access(c));
    }
    try (RunningServer b = at("second", 2, second, "");
        ManagementBeans _ = register(b)) {
      assertThat(sync().getCopies()).isEmpty();
      commands.shouldSucceed(configuration, "export", "-o", ldif);
      assertThat(commands.err()).doesNotContain("not whole");
      add(b, "later");
    }
  }

  @Test
  void aHalfThatWasNoCopyForAWhileGoesOnAsOne() throws Exception {
    bound.set(HALF);
    try (RunningServer a = first()) {
      addPeople(a, "p");
      try (RunningServer b = second()) {
        awaitHalf(b, "p");
      }
      for (int i = 0; i < 2; i++) {
        try (RunningServer b = at("second", 2, second, "")) {
          assertThat(result(b, "refused")).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
        }
      }
      bound.set(Long.MAX_VALUE);
      try (RunningServer b = second()) {
        awaitEqual(access(a), access(b));
      }
      try (RunningServer b = at("second", 2, second, "")) {
        add(b, "own");
      }
    }
  }

  /** Starts are told apart, and a copy that has lost nothing goes on where it was. */
  @Test
  void startsAloneTakeNoRefreshFromNothing() throws Exception {
    try (RunningServer a = first();
        RunningServer b = second()) {
      addPeople(a, "p");
      awaitEqual(access(a), access(b));
    }
    try (RunningServer b = second();
        ManagementBeans _ = register(b)) {
      for (int i = 0; i < 3; i++) {
        try (RunningServer a = first()) {
          add(a, "start" + i);
          awaitEqual(access(a), access(b));
        }
      }
      assertThat(sync().getCopies().getFirst().received()).isLessThan(PEOPLE);
    }
  }
}
