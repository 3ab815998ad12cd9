package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.BindRequest;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.PLAINBindRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SCRAMSHA256BindRequest;
import com.unboundid.ldap.sdk.SimpleBindRequest;
import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.process.LocalServer;

/** Serves accounts that a password policy locks after wrong passwords. */
@Timeout(300)
class PasswordPolicyServedTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String POLICY = "cn=policy," + TOP;
  private static final String ANN = "uid=ann," + TOP;
  private static final int MOST = 5;
  private static final int CLIENTS = Integer.getInteger("nyala.test.guessingClients", 48);

  @TempDir Path folder;

  private RunningServer server;
  private LDAPConnection root;

  @AfterEach
  void stop() {
    assertThat(server.served().directory().metrics().internalErrors().sum()).isZero();
    root.close();
    server.close();
  }

  private void serve(String more) throws Exception {
    server =
        LocalServer.start(
            folder,
            """
            passwordPolicy.default = "%s"
            guessing { failuresPerSource = 0, failuresPerName = 0, failuresPerKnownSource = 0 }
            limits.connectionsPerAddress = 2000
            log.security.file = "%s"
            sasl.map = [{ match = "(.*)", dn = "uid=$1,dc=example,dc=com" }]
            %s
            """
                .formatted(POLICY, folder.resolve("security.log"), more));
    root = LocalServer.connectAsRoot(server);
    if (root.getEntry(TOP) == null) {
      fill(root, MOST);
    }
  }

  /** Adds an account, and a policy that locks it after so many wrong passwords. */
  static void fill(LDAPConnection root, int most) throws Exception {
    root.add("dn: " + TOP, "objectClass: domain", "dc: example");
    root.add(
        "dn: " + POLICY,
        "objectClass: device",
        "objectClass: pwdPolicy",
        "pwdAttribute: userPassword",
        "pwdLockout: TRUE",
        "pwdMaxFailure: " + most);
    root.add(
        "dn: " + ANN, "objectClass: inetOrgPerson", "cn: Ann", "sn: A", "userPassword: secret");
  }

  private ResultCode bind(BindRequest request) throws LDAPException {
    try (LDAPConnection client = LocalServer.connect(server)) {
      return client.bind(request).getResultCode();
    } catch (LDAPException e) {
      return e.getResultCode();
    }
  }

  private ResultCode bind(String password) throws LDAPException {
    return bind(new SimpleBindRequest(ANN, password));
  }

  private Entry account() throws LDAPException {
    return root.getEntry(ANN, "+");
  }

  private List<String> reasons() throws Exception {
    return Files.readAllLines(folder.resolve("security.log")).stream()
        .filter(line -> line.contains(" bind-failed "))
        .map(line -> line.replaceAll(".* reason=(\\S+).*", "$1"))
        .toList();
  }

  static Stream<String> strategies() {
    return DispatchStrategies.OFFERED.stream();
  }

  /** However many guess at once, and by whatever mechanism: five passwords are looked at. */
  @ParameterizedTest
  @MethodSource("strategies")
  void shouldLookAtNoMorePasswordsThanThePolicyAllows(String strategy) throws Exception {
    serve(
        "dispatch.strategy = "
            + strategy
            + "\npassword.scheme = SCRAM-SHA-256\nlimits.hashQueueSeconds = 0");
    List<LDAPConnection> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(LocalServer.connect(server));
    }
    ConcurrentLinkedQueue<ResultCode> codes = new ConcurrentLinkedQueue<>();
    CountDownLatch begin = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      int number = i;
      threads.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      begin.await();
                      clients.get(number).bind(guess(number));
                      codes.add(ResultCode.SUCCESS);
                    } catch (LDAPException e) {
                      codes.add(e.getResultCode());
                    } catch (InterruptedException e) {
                      throw new IllegalStateException(e);
                    }
                  }));
    }
    begin.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    clients.forEach(LDAPConnection::close);
    assertThat(codes).hasSize(CLIENTS).containsOnly(ResultCode.INVALID_CREDENTIALS);
    assertThat(account().getAttributeValues("pwdFailureTime")).hasSize(MOST);
    assertThat(account().hasAttribute("pwdAccountLockedTime")).isTrue();
    assertThat(bind("secret")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    eventually("all is logged", () -> reasons().size() == CLIENTS + 1);
    assertThat(reasons()).filteredOn("wrong-password"::equals).hasSize(MOST);
    assertThat(reasons()).filteredOn("account-locked"::equals).hasSize(CLIENTS + 1 - MOST);
    eventually("nothing is under way", () -> server.served().directory().inFlight() == 0);
  }

  private static BindRequest guess(int number) {
    return switch (number % 3) {
      case 0 -> new SimpleBindRequest(ANN, "guess" + number);
      case 1 -> new PLAINBindRequest("ann", "guess" + number);
      default -> new SCRAMSHA256BindRequest("ann", "guess" + number);
    };
  }

  @Test
  void shouldClearFailuresAfterTheRightPassword() throws Exception {
    serve("password.scheme = SSHA512");
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < MOST - 1; i++) {
        assertThat(bind("wrong")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
      }
      assertThat(account().getAttributeValues("pwdFailureTime")).hasSize(MOST - 1);
      assertThat(bind("secret")).isEqualTo(ResultCode.SUCCESS);
      eventually("cleared", () -> !account().hasAttribute("pwdFailureTime"));
    }
    assertThat(account().getAttributeValue("modifiersName")).isEqualTo("cn=admin");
  }

  @Test
  void shouldCountInMemoryIfNothingMayBeChanged() throws Exception {
    serve("password.scheme = SSHA512");
    stop();
    serve("readOnly = true");
    lock();
    assertThat(account().hasAttribute("pwdFailureTime")).isFalse();
  }

  /** The old password of Password Modify is a guess, too. */
  @Test
  void shouldCountWrongOldPasswords() throws Exception {
    serve("password.scheme = SSHA512");
    try (LDAPConnection ann = LocalServer.connect(server)) {
      ann.bind(ANN, "secret");
      for (int i = 0; i < MOST - 1; i++) {
        assertThat(changes(ann, "wrong")).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
      }
      assertThat(account().getAttributeValues("pwdFailureTime")).hasSize(MOST - 1);
      assertThat(changes(ann, "secret")).isEqualTo(ResultCode.SUCCESS);
      eventually("cleared", () -> !account().hasAttribute("pwdFailureTime"));
      for (int i = 0; i < MOST; i++) {
        assertThat(changes(ann, "wrong")).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
      }
      assertThat(account().hasAttribute("pwdAccountLockedTime")).isTrue();
      assertThat(changes(ann, "secret")).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
      assertThat(bind("secret")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    }
  }

  private static ResultCode changes(LDAPConnection client, String old) throws LDAPException {
    return client
        .processExtendedOperation(new PasswordModifyExtendedRequest(ANN, old, "secret"))
        .getResultCode();
  }

  @Test
  void shouldUnlockByTheAdministratorAndByTime() throws Exception {
    serve("password.scheme = SSHA512");
    lock();
    root.modify(ANN, new Modification(ModificationType.DELETE, "pwdAccountLockedTime"));
    // The failures that have led to it are forgotten with the lock.
    assertThat(account().hasAttribute("pwdFailureTime")).isFalse();
    assertThat(bind("wrong")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    assertThat(account().hasAttribute("pwdAccountLockedTime")).isFalse();
    assertThat(bind("secret")).isEqualTo(ResultCode.SUCCESS);
    eventually("cleared", () -> !account().hasAttribute("pwdFailureTime"));
    lock();
    root.modify(POLICY, new Modification(ModificationType.ADD, "pwdLockoutDuration", "1"));
    eventually("the lock is over", () -> bind("secret").equals(ResultCode.SUCCESS));
    eventually(
        "cleared",
        () ->
            !account().hasAttribute("pwdFailureTime")
                && !account().hasAttribute("pwdAccountLockedTime"));
  }

  private void lock() throws LDAPException {
    for (int i = 0; i < MOST; i++) {
      assertThat(bind("wrong")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    }
    assertThat(bind("secret")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
  }

  /** Locks and terms of accounts hold without a policy, too. */
  @Test
  void shouldKeepLockedAccountsOutWithoutAPolicy() throws Exception {
    serve("password.scheme = SSHA512");
    Modification named =
        new Modification(ModificationType.REPLACE, "pwdPolicySubentry", "cn=none," + TOP);
    root.modify(ANN, named);
    // A policy that is not there leaves the default in force.
    assertThat(bind("wrong")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    assertThat(account().hasAttribute("pwdFailureTime")).isTrue();
    assertThat(bind("secret")).isEqualTo(ResultCode.SUCCESS);
    eventually("cleared", () -> !account().hasAttribute("pwdFailureTime"));
    root.add(
        "dn: cn=none," + TOP,
        "objectClass: device",
        "objectClass: pwdPolicy",
        "pwdAttribute: userPassword");
    for (int i = 0; i < 2 * MOST; i++) {
      assertThat(bind("wrong")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    }
    assertThat(bind("secret")).isEqualTo(ResultCode.SUCCESS);
    assertThat(account().hasAttribute("pwdFailureTime")).isFalse();
    for (String lock : List.of("000001010000Z", "00000101000000Z", "20200101000000Z")) {
      root.modify(ANN, new Modification(ModificationType.ADD, "pwdAccountLockedTime", lock));
      assertThat(bind("secret")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
      root.modify(ANN, new Modification(ModificationType.DELETE, "pwdAccountLockedTime"));
      assertThat(bind("secret")).isEqualTo(ResultCode.SUCCESS);
    }
    for (String[] term :
        new String[][] {
          {"pwdStartTime", "29990101000000Z"}, {"pwdEndTime", "20200101000000.5+0100"}
        }) {
      root.modify(ANN, new Modification(ModificationType.ADD, term[0], term[1]));
      assertThat(bind("secret")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
      root.modify(ANN, new Modification(ModificationType.DELETE, term[0]));
    }
    assertThat(bind("secret")).isEqualTo(ResultCode.SUCCESS);
  }
}
