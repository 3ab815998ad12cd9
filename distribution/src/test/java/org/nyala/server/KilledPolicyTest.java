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
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Patience;
import org.nyala.core.Seeds;
import org.nyala.process.ServerProcess;

/** Kills servers while somebody guesses: what was answered counts for ever. */
@Timeout(300)
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

  private final long seed = Seeds.seed();

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

  /**
   * Guesses until the server has gone or each client has been answered so often.
   *
   * @return the results that are no answers to guesses
   */
  private static Collection<ResultCode> guess(
      ServerProcess server, int clients, int times, AtomicInteger answered)
      throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    ConcurrentLinkedQueue<ResultCode> others = new ConcurrentLinkedQueue<>();
    CountDownLatch begin = new CountDownLatch(1);
    for (int i = 0; i < clients; i++) {
      threads.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    try (LDAPConnection client = new LDAPConnection("127.0.0.1", server.port())) {
                      Patience.await(begin);
                      for (int j = 0; j < times; j++) {
                        ResultCode code = code(client);
                        if (code != ResultCode.INVALID_CREDENTIALS) {
                          others.add(code);
                          return;
                        }
                        answered.incrementAndGet();
                      }
                    } catch (LDAPException e) {
                      others.add(e.getResultCode());
                    }
                  }));
    }
    begin.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    return others;
  }

  /** Guesses more often than the policy allows, and is always answered. */
  private void guessUntilLocked(ServerProcess server) throws InterruptedException {
    AtomicInteger answered = new AtomicInteger();
    assertThat(guess(server, CLIENTS, 3, answered)).as("seed %d", seed).isEmpty();
    assertThat(answered).as("seed %d", seed).hasValue(3 * CLIENTS);
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
    Random random = new Random(seed);
    int before = 1 + random.nextInt(MOST - 1);
    try (ServerProcess server = ServerProcess.start(folder, CONFIGURATION)) {
      fill(server);
      try (LDAPConnection client = new LDAPConnection("127.0.0.1", server.port())) {
        for (int i = 0; i < before; i++) {
          assertThat(code(client)).as("seed %d", seed).isEqualTo(ResultCode.INVALID_CREDENTIALS);
        }
      }
      server.kill();
    }
    Files.writeString(folder.resolve("logs/security.log"), "");
    try (ServerProcess server = ServerProcess.serve(folder)) {
      assertThat(recorded(server)).as("seed %d", seed).isEqualTo(before);
      guessUntilLocked(server);
      assertThat(recorded(server)).as("seed %d", seed).isEqualTo(MOST);
      eventually("all is logged, seed " + seed, () -> wrongPasswords() == MOST - before);
    }
  }

  /**
   * A server that is killed amid guesses locks the account as soon as before: wrong passwords are
   * on record before they are answered. Guesses beyond those that lock it are answered at once.
   */
  @ParameterizedTest
  @ValueSource(ints = {MOST - 1, CLIENTS})
  void shouldLockAfterItWasKilledAmidGuesses(int clients) throws Exception {
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
      assertThat(guess(server, clients, 1, answered))
          .isSubsetOf(ResultCode.SERVER_DOWN, ResultCode.CONNECT_ERROR);
      killer.join();
    }
    try (ServerProcess server = ServerProcess.serve(folder)) {
      assertThat(recorded(server)).isBetween(clients < MOST ? answered.get() : 0, MOST);
      guessUntilLocked(server);
      assertThat(recorded(server)).isEqualTo(MOST);
      try (LDAPConnection client = new LDAPConnection("127.0.0.1", server.port())) {
        assertThat(client.bind("cn=admin", "admin").getResultCode()).isEqualTo(ResultCode.SUCCESS);
        assertThat(code(client)).isEqualTo(ResultCode.INVALID_CREDENTIALS);
      }
    }
  }
}
