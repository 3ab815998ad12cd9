package org.nyala.cli.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchScope;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.Processes;
import org.nyala.process.ServerProcess;

/**
 * Indexes that change while a server runs.
 *
 * <p>{@code -Dnyala.job.kills=N} kills the server N times while it works.
 */
class ServedIndexChangeTest {
  private static final String ROOT = "cn=admin,dc=example,dc=com";
  private static final String PEOPLE = "ou=People,dc=example,dc=com";
  private static final int KILL_ROUNDS = 50;
  private static final int KILLS = Integer.getInteger("nyala.job.kills", 1);

  @TempDir Path folder;

  private Processes.Result nyala(String... arguments) {
    LocalCommands commands = new LocalCommands();
    int exitCode = commands.run(folder.resolve("test.conf"), arguments);
    return new Processes.Result(exitCode, commands.out(), commands.err());
  }

  private void load(int entries) throws Exception {
    Files.writeString(
        folder.resolve("test.conf"),
        """
        nyala {
          listeners = ["ldap://127.0.0.1:0"]
          data = "%s"
          log.security.file = "%s"
          root { dn = "%s", password = admin }
          access.anonymousRead = true
          limits.lookThroughLimit = 20
          uniqueness = [{ attributes = [uid] }]
        }
        """
            .formatted(folder.resolve("data"), folder.resolve("security.log"), ROOT));
    String ldif = folder.resolve("a.ldif").toString();
    nyala("sample", "--entries", Integer.toString(entries), "-o", ldif).shouldSucceed();
    nyala("import", ldif).shouldSucceed();
  }

  private static int count(LDAPConnection connection, String filter) throws Exception {
    return connection.search(PEOPLE, SearchScope.SUB, filter, "1.1").getEntryCount();
  }

  private static int writeWhile(int port, AtomicBoolean done) throws Exception {
    int written = 0;
    try (LDAPConnection connection = new LDAPConnection("127.0.0.1", port, ROOT, "admin")) {
      while (!done.get() || written == 0) {
        connection.modify(
            "uid=user." + written % 100 + "," + PEOPLE,
            new Modification(ModificationType.REPLACE, "title", "Title " + written));
        assertThat(count(connection, "(uid=user." + written % 100 + ")")).isEqualTo(1);
        written++;
      }
    }
    return written;
  }

  @Test
  void shouldAddAndDropIndexesWhileClientsSearchAndWrite() throws Exception {
    load(3000);
    try (ServerProcess server = ServerProcess.serve(folder);
        LDAPConnection anonymous = new LDAPConnection("127.0.0.1", server.port());
        ExecutorService threads = Executors.newFixedThreadPool(3)) {
      nyala("index", "rebuild", "cn").shouldSucceed();
      assertTooMuch(anonymous);
      AtomicBoolean done = new AtomicBoolean();
      Future<Integer> writing = threads.submit(() -> writeWhile(server.port(), done));
      Future<Processes.Result> other =
          threads.submit(() -> nyala("index", "add", "description:sub"));
      Processes.Result added = nyala("index", "add", "title:eq,pres");
      done.set(true);
      assertThat(added.exitCode()).as(added.toString()).isEqualTo(ExitCode.OK);
      assertThat(added.out()).startsWith("done: ").hasLineCount(1);
      assertThat(other.get().exitCode()).as(other.get().toString()).isEqualTo(ExitCode.OK);
      int written = writing.get();
      assertThat(count(anonymous, "(title=title " + (written - 1) + ")")).isEqualTo(1);
      nyala("index", "rebuild", "description").shouldSucceed();
      nyala("index", "drop", "title").shouldSucceed();
      assertTooMuch(anonymous);
    }
    assertThat(nyala("index", "list").out()).contains("description:sub\n").doesNotContain("title");
    nyala("verify").shouldSucceed();
  }

  /* A search that no index answers meets the limit of candidates. */
  private static void assertTooMuch(LDAPConnection anonymous) {
    assertThatThrownBy(() -> count(anonymous, "(title=nosuch)"))
        .isInstanceOfSatisfying(
            LDAPSearchException.class,
            e -> assertThat(e.getResultCode()).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED));
  }

  @Test
  void shouldRefuseWhatTheServerCannotDo() throws Exception {
    load(20);
    try (ServerProcess _ = ServerProcess.serve(folder)) {
      for (String wanted : new String[] {"nosuch:eq", "cn:best", "jpegPhoto:eq", "a/../b", "*"}) {
        Processes.Result refused = nyala("index", "add", wanted);
        assertThat(refused.exitCode()).as(refused.toString()).isEqualTo(ExitCode.USAGE);
        assertThat(refused.err()).startsWith("nyala: ").hasLineCount(1);
      }
      for (String action : new String[] {"drop", "rebuild"}) {
        Processes.Result refused = nyala("index", action, "UID");
        assertThat(refused.exitCode()).as(refused.toString()).isEqualTo(ExitCode.USAGE);
        assertThat(refused.err()).contains("nyala.uniqueness needs the index uid:eq");
      }
    }
    assertThat(nyala("index", "drop", "uid").exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(nyala("index", "list").out()).contains("uid:eq");
    nyala("index", "rebuild", "uid").shouldSucceed();
    nyala("verify").shouldSucceed();
  }

  @Test
  void shouldReportWorkThatAStoppingServerLeaves() throws Exception {
    load(20_000);
    boolean isLeft = false;
    for (int round = 0; round < KILL_ROUNDS && !isLeft; round++) {
      ServerProcess server = ServerProcess.serve(folder);
      try (server;
          ExecutorService threads = Executors.newSingleThreadExecutor()) {
        Future<Processes.Result> command = threads.submit(() -> nyala("index", "rebuild", "cn"));
        eventually("it works", () -> command.isDone() || isAtWork());
        server.stop();
        Processes.Result outcome = command.get();
        assertThat(server.exitCode()).isEqualTo(ExitCode.OK);
        isLeft = isAtWork();
        assertThat(outcome.exitCode())
            .as(outcome.toString())
            .isEqualTo(isLeft ? ExitCode.FAILED : ExitCode.OK);
        assertThat(isLeft ? outcome.err() : outcome.out())
            .contains(isLeft ? "the work goes on when it starts again" : "done: ");
      }
    }
    assertThat(isLeft).as("stopped while it worked").isTrue();
    nyala("index", "rebuild", "title").shouldSucceed();
    assertThat(isAtWork()).isFalse();
    nyala("verify").shouldSucceed();
  }

  @Test
  @Timeout(600)
  void shouldGoOnAfterTheServerWasKilled() throws Exception {
    load(10_000);
    nyala("index", "add", "title:eq,sub").shouldSucceed();
    int caught = 0;
    for (int round = 0; round < KILLS * KILL_ROUNDS && caught < KILLS; round++) {
      caught += killWhileRebuilding() ? 1 : 0;
    }
    assertThat(caught).as("killed while it worked").isEqualTo(KILLS);
    try (ServerProcess _ = ServerProcess.serve(folder)) {
      eventually("all work is done", () -> !isAtWork());
      assertThat(nyala("index", "list").out()).contains("title:eq,sub\n");
    }
    nyala("verify").shouldSucceed();
  }

  private boolean killWhileRebuilding() throws Exception {
    try (ServerProcess server = ServerProcess.serve(folder);
        ExecutorService threads = Executors.newSingleThreadExecutor()) {
      Future<Processes.Result> command = threads.submit(() -> nyala("index", "rebuild", "title"));
      eventually("it works", () -> command.isDone() || isAtWork());
      server.kill();
      Processes.Result outcome = command.get();
      boolean isLeft = isAtWork();
      assertThat(outcome.exitCode())
          .as(outcome.toString())
          .isEqualTo(isLeft ? ExitCode.FAILED : ExitCode.OK);
      if (isLeft) {
        assertThat(outcome.err()).contains("the work goes on when it starts again");
      }
      nyala("verify").shouldSucceed();
      return isLeft;
    }
  }

  private boolean isAtWork() {
    return nyala("index", "list").out().contains("(");
  }
}
