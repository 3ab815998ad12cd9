package org.nyala.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.ResultCode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nyala.core.DirectoryServer;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/**
 * Lets more passwords wait to be hashed than may, under every strategy with a thread for hashes:
 * those that make way are answered at once, and were never looked at.
 */
@Timeout(300)
class WaitingHashesTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String POLICY = "cn=policy," + TOP;
  private static final String ENDLESS = "uid=endless," + TOP;
  private static final String ANN = "uid=ann," + TOP;
  private static final int QUEUE = 4;
  private static final int GUESSES = 12;

  @TempDir Path folder;

  private final List<Wire> wires = new ArrayList<>();
  private RunningServer server;
  private DirectoryServer directory;

  @AfterEach
  void stop() throws Exception {
    for (Wire wire : wires) {
      wire.close();
    }
    eventually("nothing is under way", () -> directory.inFlight() == 0);
    eventually("nothing is held", () -> directory.memory().held() == 0);
    assertThat(directory.metrics().internalErrors().sum()).isZero();
    server.close();
  }

  static Stream<String> strategies() {
    Set<String> all = new TreeSet<>(DispatchStrategies.OFFERED);
    assertThat(all.remove("run-to-completion")).as("hashes on the event loops").isTrue();
    return all.stream();
  }

  private void serve(String more) throws Exception {
    server =
        LocalServer.start(
            folder,
            """
            limits { hashQueue = %d, hashQueueSeconds = 0 }
            dispatch.hashThreads = 1
            password.maximumCryptRounds = 999999999
            guessing { failuresPerSource = 0, failuresPerName = 2, failuresPerKnownSource = 2
              refillSeconds = 86400 }
            passwordPolicy.default = "%s"
            %s
            """
                .formatted(QUEUE, POLICY, more));
    directory = server.served().directory();
    try (LDAPConnection root = LocalServer.connectAsRoot(server)) {
      root.add("dn: " + TOP, "objectClass: domain", "dc: example");
      root.add(
          "dn: " + POLICY,
          "objectClass: device",
          "objectClass: pwdPolicy",
          "pwdAttribute: userPassword",
          "pwdLockout: TRUE",
          "pwdMaxFailure: 3");
      for (String stored :
          List.of(
              "endless $6$rounds=999999999$saltsalt$" + "A".repeat(86),
              "ann $1$saltsalt$9xy1btjgzLYfb7hivXtC//")) {
        String uid = stored.substring(0, stored.indexOf(' '));
        root.add(
            "dn: uid=" + uid + "," + TOP,
            "objectClass: inetOrgPerson",
            "cn: u",
            "sn: u",
            "userPassword: {CRYPT}" + stored.substring(uid.length() + 1));
      }
    }
    eventually("root has left", () -> directory.inFlight() == 0);
  }

  /** Sends a bind, and returns the result code that it will have. */
  private CompletableFuture<Integer> bind(String from, String name, String password)
      throws Exception {
    Wire wire = new Wire(from, LocalServer.port(server));
    wires.add(wire);
    BerWriter bind = new BerWriter().integer(3).text(name).text(0x80, password);
    BerWriter message = new BerWriter().integer(1).constructed(0x60, bind);
    wire.send(new BerWriter().sequence(message).toByteArray());
    CompletableFuture<Integer> code = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                code.complete(wire.read().code());
              } catch (IOException e) {
                code.completeExceptionally(e);
              }
            });
    return code;
  }

  private static List<Integer> answered(List<CompletableFuture<Integer>> codes) {
    return codes.stream().filter(CompletableFuture::isDone).map(CompletableFuture::join).toList();
  }

  @ParameterizedTest
  @MethodSource("strategies")
  void shouldAnswerAtOnceWhatHasToMakeWay(String strategy) throws Exception {
    serve("dispatch.strategy = " + strategy);
    CompletableFuture<Integer> _ = bind("127.0.0.9", ENDLESS, "wrong");
    eventually("the only thread is busy", SlotKindsTest::isHashing);
    List<CompletableFuture<Integer>> guesses = new ArrayList<>();
    for (int i = 0; i < GUESSES; i++) {
      guesses.add(bind("127.0.0.1", ANN, "wrong " + i));
    }
    // One place is of the one at work.
    int displaced = GUESSES - (QUEUE - 1);
    eventually("they have their answers", () -> answered(guesses).size() == displaced);
    CompletableFuture<Integer> ann = bind("127.0.0.2", ANN, "secret");
    eventually("one more has its answer", () -> answered(guesses).size() == displaced + 1);
    assertThat(answered(guesses)).containsOnly(ResultCode.BUSY_INT_VALUE);
    assertThat(directory.metrics().displaced().sum()).isEqualTo(displaced + 1);
    assertThat(ann).isNotDone();
    wires.getFirst().close();
    // Values that were looked at count, and nothing else: the third one would be refused.
    eventually("all have their answers", () -> answered(guesses).size() == GUESSES);
    assertThat(Collections.frequency(answered(guesses), ResultCode.INVALID_CREDENTIALS_INT_VALUE))
        .isEqualTo(QUEUE - 2);
    try (LDAPConnection root = LocalServer.connectAsRoot(server)) {
      String[] failures = root.getEntry(ANN, "pwdFailureTime").getAttributeValues("pwdFailureTime");
      assertThat(failures == null ? 0 : failures.length).isLessThanOrEqualTo(QUEUE - 2);
    }
  }
}
