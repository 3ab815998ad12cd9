package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.process.ServerProcess;

/** Kills servers while somebody guesses: what was answered counts for ever. */
@Timeout(180)
class KilledPolicyTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String ANN = "uid=ann," + TOP;
  private static final int MOST = 8;
  private static final int CLIENTS = 24;
  private static final String CONFIGURATION =
      """
      passwordPolicy.default = "cn=policy,dc=example,dc=com"
      guessing { failuresPerSource = 0, failuresPerName = 0, failuresPerKnownSource = 0 }
      """;

  @TempDir Path folder;

  private static void fill(ServerProcess server) throws Exception {
    try (LDAPConnection root = server.client("cn=admin", "admin")) {
      PasswordPolicyServedTest.fill(root, MOST);
    }
  }

  private static int recorded(ServerProcess server) throws LDAPException {
    try (LDAPConnection root = server.client("cn=admin", "admin")) {
      String[] times = root.getEntry(ANN, "pwdFailureTime").getAttributeValues("pwdFailureTime");
      return times == null ? 0 : times.length;
    }
  }

  private long wrongPasswords() throws IOException {
    return Files.readAllLines(folder.resolve("logs/security.log")).stream()
        .filter(line -> line.contains(" reason=wrong-password "))
        .count();
  }

  /** Guesses until the server has gone or a client has been answered so often. */
  private static void guess(ServerProcess server, int times, AtomicInteger answered)
      throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    CountDownLatch begin = new CountDownLatch(1);
    for (int i = 0; i < CLIENTS; i++) {
      threads.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    try (LDAPConnection client = new LDAPConnection("127.0.0.1", server.port())) {
                      begin.await();
                      for (int j = 0; j < times; j++) {
                        ResultCode code = code(client);
                        if (code != ResultCode.INVALID_CREDENTIALS) {
                          return;
                        }
                        answered.incrementAndGet();
                      }
                    } catch (LDAPException | InterruptedException _) {
                      // The server has been killed.
                    }
                  }));
    }
    begin.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private static ResultCode code(LDAPConnection client) {
    try {
      return client.bind(ANN, "guess").getResultCode();
    } catch (LDAPException e) {
      return e.getResultCode();
    }
  }

  @Test
  void shouldCountWhatWasAnsweredBefore() throws Exception {
    Random random = new Random(Seeds.seed());
    int before = 1 + random.nextInt(MOST - 1);
    try (ServerProcess server = ServerProcess.start(folder, CONFIGURATION)) {
      fill(server);
      try (LDAPConnection client = new LDAPConnection("127.0.0.1", server.port())) {
        for (int i = 0; i < before; i++) {
          assertThat(code(client)).isEqualTo(ResultCode.INVALID_CREDENTIALS);
        }
      }
      server.kill();
    }
    Files.writeString(folder.resolve("logs/security.log"), "");
    try (ServerProcess server = ServerProcess.serve(folder)) {
      assertThat(recorded(server)).isEqualTo(before);
      guess(server, 3, new AtomicInteger());
      assertThat(recorded(server)).isEqualTo(MOST);
      eventually("all is logged", () -> wrongPasswords() == MOST - before);
    }
  }

  /** A server that is killed amid guesses locks the account as soon as before. */
  @Test
  void shouldLockAfterItWasKilledAmidGuesses() throws Exception {
    AtomicInteger answered = new AtomicInteger();
    try (ServerProcess server = ServerProcess.start(folder, CONFIGURATION)) {
      fill(server);
      Thread killer =
          Thread.ofPlatform()
              .start(
                  () -> {
                    while (answered.get() == 0) {
                      Thread.onSpinWait();
                    }
                    server.kill();
                  });
      guess(server, 1, answered);
      killer.join();
    }
    try (ServerProcess server = ServerProcess.serve(folder)) {
      assertThat(recorded(server)).isBetween(0, MOST);
      guess(server, 3, new AtomicInteger());
      assertThat(recorded(server)).isEqualTo(MOST);
      try (LDAPConnection client = new LDAPConnection("127.0.0.1", server.port())) {
        assertThat(client.bind("cn=admin", "admin").getResultCode()).isEqualTo(ResultCode.SUCCESS);
        assertThat(code(client)).isEqualTo(ResultCode.INVALID_CREDENTIALS);
      }
    }
  }
}
