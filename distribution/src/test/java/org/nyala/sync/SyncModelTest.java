package org.nyala.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.sync.RandomTree.HOME;
import static org.nyala.sync.RandomTree.REPLICATOR;
import static org.nyala.sync.RandomTree.TOP;

import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPResult;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Patience;
import org.nyala.core.Seeds;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;
import org.nyala.sync.SyncCopy.Content;
import org.nyala.sync.SyncCopy.Held;

/**
 * Keeps copies of several kinds of content while a directory changes at random: entries move and
 * take the names of others, the journal is trimmed, sessions end and begin anew, some with cookies
 * of long ago. In the end each copy equals what a search finds.
 */
@Timeout(600)
class SyncModelTest {
  private static final int ROUNDS = Integer.getInteger("nyala.test.syncRounds", 20);
  private static final int CHANGES = 25;

  /** The rounds after which the journal has nothing of the first one: 300 changes, or fewer. */
  private static final int TRIMMED_ROUNDS = 12;

  /** The replicator does not see what is described as c, and no telephone numbers. */
  private static final String RULES =
      """
      people replicator = entry "uid=replicator,dc=example,dc=com"
      to attributes userPassword
        anonymous may authenticate
      to where (description=c)
        replicator may nothing
      to attributes telephoneNumber
        replicator may nothing
      to all
        all may read
      """;

  private static final List<Content> CONTENTS =
      List.of(
          new Content(TOP, SearchScope.SUB, "(objectClass=*)"),
          new Content(TOP, SearchScope.SUB, "(description=a)"),
          new Content(HOME, SearchScope.SUB, "(objectClass=*)"),
          new Content(TOP, SearchScope.ONE, "(|(description=a)(!(description=b)))"),
          new Content(HOME, SearchScope.SUBORDINATE_SUBTREE, "(!(description=a))"));

  @TempDir Path folder;

  private final long seed = Seeds.seed();
  private final Random random = new Random(seed);
  private final List<Session> sessions = new ArrayList<>();
  private RunningServer server;
  private LDAPConnection root;
  private RandomTree tree;

  /** A copy with the connections of its sessions. */
  private final class Session {
    final SyncCopy copy;
    final boolean isLimited;
    final List<SyncCopy.State> past = new ArrayList<>();
    SyncCopy.@Nullable State first;
    LDAPConnection connection;
    Thread thread;
    LDAPResult last;

    Session(Content content, boolean isLimited) {
      this.copy = new SyncCopy(content);
      this.isLimited = isLimited;
    }

    LDAPConnection connect() throws LDAPException {
      LDAPConnection opened = LocalServer.connect(server);
      if (isLimited) {
        opened.bind(REPLICATOR, "secret");
      } else {
        opened.bind("cn=admin", "admin");
      }
      return opened;
    }

    /** Begins a persistent session, which may end by itself at any time. */
    void listen() throws LDAPException {
      LDAPConnection opened = connect();
      connection = opened;
      thread =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      last = copy.run(opened, true);
                    } catch (LDAPException e) {
                      last = e.toLDAPResult();
                    }
                  });
    }

    boolean listens() {
      return thread != null && thread.isAlive();
    }

    void hangUp() {
      if (thread != null) {
        connection.close();
        Patience.join(thread);
        thread = null;
        past.add(copy.state());
      }
    }

    /** Listens again when the server has ended the session. */
    void goOn() throws LDAPException {
      if (!listens()) {
        hangUp();
        listen();
      }
    }

    void poll() throws LDAPException {
      hangUp();
      try (LDAPConnection opened = connect()) {
        LDAPResult result = copy.run(opened, false);
        if (result.getResultCode().intValue() == 4096) {
          result = copy.run(opened, false);
        }
        assertThat(result.getResultCode().intValue()).as(what() + result).isZero();
      }
      past.add(copy.state());
    }

    /** Polls with a cookie of before all that the journal has; what is unchanged is named. */
    void pollAfterLongAbsence() throws LDAPException {
      hangUp();
      copy.restore(Objects.requireNonNull(first));
      int before = copy.presentPhases();
      poll();
      assertThat(copy.presentPhases()).as(what() + "present phases").isEqualTo(before + 1);
    }

    void restore() {
      hangUp();
      if (!past.isEmpty()) {
        copy.restore(past.get(random.nextInt(past.size())));
      }
    }

    String what() {
      return "-Dtest.seed=%d %s%s: ".formatted(seed, copy.content(), isLimited ? " limited" : "");
    }

    Map<UUID, Held> expected() throws LDAPException {
      SearchRequest request = copy.content().request();
      request.setControls(new Control[] {new ManageDsaITRequestControl(true)});
      Map<UUID, Held> found = new LinkedHashMap<>();
      try (LDAPConnection opened = connect()) {
        for (SearchResultEntry entry : opened.search(request).getSearchEntries()) {
          found.put(UUID.fromString(entry.getAttributeValue("entryUUID")), SyncCopy.held(entry));
        }
      }
      return found;
    }

    void check(String when) throws LDAPException {
      assertThat(copy.faults()).as(what() + when).isEmpty();
      assertThat(copy.state().entries())
          .as(what() + when)
          .containsExactlyInAnyOrderEntriesOf(expected());
    }
  }

  @BeforeEach
  void start() throws Exception {
    Files.writeString(folder.resolve("access.rules"), RULES);
    Path file =
        ServerProcess.configure(
            folder,
            "access.rules = access.rules, serverId = 7, store.journalChanges = 120,"
                + " password.upgradeAtBind = false");
    server = LocalServer.startFrom(file, folder);
    root = LocalServer.connectAsRoot(server);
    tree = new RandomTree(seed, random, RandomTree.FEW, root);
    for (Content content : CONTENTS) {
      sessions.add(new Session(content, false));
      sessions.add(new Session(content, true));
    }
  }

  @AfterEach
  void stop() {
    sessions.forEach(Session::hangUp);
    root.close();
    server.close();
  }

  @Test
  void shouldKeepCopiesEqualToWhatSearchesFind() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      if (round >= TRIMMED_ROUNDS) {
        sessions.get(round % sessions.size()).pollAfterLongAbsence();
      }
      for (Session session : sessions) {
        begin(session);
      }
      for (int i = 0; i < CHANGES; i++) {
        tree.change();
        if (random.nextInt(10) == 0) {
          begin(sessions.get(random.nextInt(sessions.size())));
        }
      }
      for (Session session : sessions) {
        settle(session, "round " + round);
        session.first = session.first == null ? session.copy.state() : session.first;
      }
    }
    int deletePhases = sessions.stream().mapToInt(each -> each.copy.deletePhases()).sum();
    assertThat(deletePhases).as("seed %d", seed).isGreaterThan(ROUNDS);
  }

  /** Does one of the things that clients do, or nothing. */
  private void begin(Session session) throws LDAPException {
    switch (random.nextInt(8)) {
      case 0, 1 -> session.hangUp();
      case 2, 3, 4 -> session.goOn();
      case 5 -> session.poll();
      case 6 -> session.restore();
      default -> {}
    }
  }

  /** Waits until a copy has all changes, and compares. */
  private void settle(Session session, String when) throws LDAPException {
    if (!session.listens()) {
      session.poll();
      session.check(when + ", polled");
      return;
    }
    CsnVector wanted = contextCsns();
    eventually(
        session.what() + "has " + wanted + ", " + session.copy.state().cookie(),
        () -> {
          session.goOn();
          return session.copy.covers(wanted);
        });
    session.check(when + ", listening");
  }

  private CsnVector contextCsns() throws LDAPException {
    CsnVector csns = CsnVector.EMPTY;
    for (String value : root.getEntry(TOP, "contextCSN").getAttributeValues("contextCSN")) {
      csns = csns.with(Csn.parse(value));
    }
    return csns;
  }
}
