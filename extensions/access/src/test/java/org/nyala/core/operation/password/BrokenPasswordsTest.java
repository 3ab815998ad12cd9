package org.nyala.core.operation.password;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.core.operation.UpdateFixture.change;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nyala.core.accounts.AccountControl;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.LiveDirectory;
import org.nyala.core.policy.AccountRuntime;

/** Breaks connections off whose passwords are being hashed, or wait for that. */
@Timeout(120)
class BrokenPasswordsTest {
  private static final int MOST = 5;
  private static final int ATTEMPTS = 60;
  private static final long LONGEST_NANOS = 2_000_000;
  private static final String ANN = PolicedDirectory.name("ann");

  /** Of the password {@code secret}; it belongs to the threads for hashes. */
  private static final String SLOW = "{CRYPT}$1$saltsalt$9xy1btjgzLYfb7hivXtC//";

  private static final PolicyAnswer SUCCESS = PolicyAnswer.of(ResultCode.SUCCESS);

  private final Random random = new Random(7);
  private PolicedDirectory policed;

  static Stream<String> strategies() {
    return DispatchStrategies.OFFERED.stream();
  }

  @AfterEach
  void close() {
    policed.close();
  }

  private void start(String strategy) {
    policed = new PolicedDirectory(strategy, null);
    policed.add(ANN, "objectClass=person", "cn=ann", "sn=Smith", "userPassword=" + SLOW);
    policed.policy(
        Map.of(
            "pwdLockout",
            "TRUE",
            "pwdMaxFailure",
            Integer.toString(MOST),
            "pwdMaxRecordedFailure",
            "1000"));
  }

  private LiveDirectory.Client bound() {
    LiveDirectory.Client client = policed.directory.open();
    assertThat(policed.bind(client, ANN, "secret")).isEqualTo(SUCCESS);
    return client;
  }

  /** Sends a password by a bind, a Password Modify, or a modify that deletes it. */
  private static int send(LiveDirectory.Client client, int kind, String password) {
    byte[] sent = password.getBytes(UTF_8);
    int id = client.nextId();
    switch (kind) {
      case 0 -> client.send(new Request.Bind(id, 3, ANN, null, sent, List.of()));
      case 1 -> {
        BerWriter content = new BerWriter().octets(0x81, sent).octets(0x82, sent);
        byte[] value = new BerWriter().sequence(content).toByteArray();
        client.send(new Request.Extended(id, AccountControl.PASSWORD_MODIFY, value, List.of()));
      }
      default ->
          client.send(
              new Request.Modify(
                  id,
                  ANN,
                  List.of(
                      change(PolicedDirectory.DELETE, "userPassword", password),
                      change(PolicedDirectory.ADD, "userPassword", password)),
                  List.of()));
    }
    return id;
  }

  private void breakOff(LiveDirectory.Client client) {
    LockSupport.parkNanos(random.nextLong(LONGEST_NANOS));
    client.breakOff();
  }

  /** Waits until no attempt is reserved, and none is on its way to the disk. */
  private void awaitNoAttempts() {
    eventually(
        "no attempts are under way",
        () ->
            AccountRuntime.of(policed.directory.operations.directory().get()).attempts().accounts()
                == 0);
  }

  /** Each attempt is given back: after any number of them, owners get in. */
  @ParameterizedTest
  @MethodSource("strategies")
  void shouldGiveAttemptsBack(String strategy) {
    start(strategy);
    for (int i = 0; i < ATTEMPTS; i++) {
      policed.asRoot(ANN, change(PolicedDirectory.REPLACE, "userPassword", SLOW));
      LiveDirectory.Client client = bound();
      send(client, i % 3, "secret");
      breakOff(client);
    }
    awaitNoAttempts();
    assertThat(policed.times(ANN, "pwdFailureTime")).isEmpty();
    for (int i = 0; i < 2 * MOST; i++) {
      bound();
    }
    assertThat(policed.directory.internalErrors()).isZero();
  }

  /** A broken connection is no way to more guesses: what has been looked at counts. */
  @ParameterizedTest
  @MethodSource("strategies")
  void shouldLookAtNoMoreThanThePolicyAllows(String strategy) {
    start(strategy);
    List<LiveDirectory.Client> clients = new ArrayList<>();
    for (int i = 0; i < ATTEMPTS; i++) {
      clients.add(bound());
    }
    int[] sent = new int[ATTEMPTS];
    for (int i = 0; i < ATTEMPTS; i++) {
      sent[i] = send(clients.get(i), i % 3, "wrong" + i);
      if (i % 2 == 0) {
        breakOff(clients.get(i));
      }
    }
    for (int i = 1; i < ATTEMPTS; i += 2) {
      assertThat(clients.get(i).result(sent[i]).result().code())
          .isIn(ResultCode.INVALID_CREDENTIALS, ResultCode.UNWILLING_TO_PERFORM);
    }
    awaitNoAttempts();
    assertThat(policed.times(ANN, "pwdFailureTime")).hasSize(MOST).doesNotHaveDuplicates();
    assertThat(policed.bind(policed.directory.open(), ANN, "secret").code())
        .isEqualTo(ResultCode.INVALID_CREDENTIALS);
    // The administrator unlocks it, and nothing is left of the attempts.
    policed.asRoot(ANN, change(PolicedDirectory.REPLACE, "pwdAccountLockedTime"));
    for (int i = 0; i < 2 * MOST; i++) {
      bound();
    }
    assertThat(policed.directory.internalErrors()).isZero();
  }
}
