package org.nyala.core.operation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nyala.accounts.AccountAdministration;
import org.nyala.accounts.AccountList;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.PolicySettings;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.metrics.AccountMetrics;
import org.nyala.core.policy.AccountAction;
import org.nyala.core.policy.AccountKind;
import org.nyala.core.policy.AccountStatus;
import org.nyala.core.policy.AccountStatus.Lock;

/** Shows, changes and lists accounts beside the logins to them, by a clock that tests move. */
@Timeout(60)
class AccountAdministrationTest {
  private static final String POLICY = "cn=policy," + UpdateFixture.TOP;
  private static final String ANN = "cn=ann," + UpdateFixture.TOP;
  private static final int MOST = 3;
  private static final int DAY = 86_400;
  private static final Duration LONG = Duration.ofSeconds(60);

  private volatile Instant now = Instant.parse("2026-01-31T12:00:00Z");
  private final LiveDirectory directory =
      new LiveDirectory(
          "adaptive",
          new AccessPolicy(true)
              .withPasswordPolicy(PolicySettings.NONE.by(UpdateFixture.dn(POLICY))),
          () -> now);
  private final LiveDirectory.Client root = directory.root();
  private final AccountAdministration accounts =
      new AccountAdministration(directory.operations.directory());

  @BeforeEach
  void fill() {
    add(
        POLICY,
        "objectClass=device",
        "objectClass=pwdPolicy",
        "cn=policy",
        "pwdAttribute=2.5.4.35",
        "pwdLockout=TRUE",
        "pwdMaxFailure=" + MOST);
    add(ANN, "objectClass=person", "cn=ann", "sn=Smith", "userPassword=secret");
  }

  @AfterEach
  void close() {
    assertThat(directory.internalErrors()).isZero();
    directory.close();
  }

  private void add(String name, String... attributes) {
    assertThat(root.add(name, attributes)).as(name).isEqualTo(ResultCode.SUCCESS);
  }

  private void set(String name, String attribute, String... values) {
    Request.Change change = UpdateFixture.change(2, attribute, values);
    Request.Modify modify = new Request.Modify(root.nextId(), name, List.of(change), List.of());
    assertThat(root.ask(modify).result().code()).isEqualTo(ResultCode.SUCCESS);
  }

  private ResultCode bind(String password) {
    LiveDirectory.Client client = directory.open();
    return client
        .ask(new Request.Bind(client.nextId(), 3, ANN, null, password.getBytes(UTF_8), List.of()))
        .result()
        .code();
  }

  private AccountStatus status() {
    return Objects.requireNonNull(accounts.show(UpdateFixture.dn(ANN)));
  }

  private void change(AccountAction action) throws LdapOperationException {
    accounts.change(action, UpdateFixture.dn(ANN));
  }

  private List<String> list(AccountKind kind, int days) {
    AccountList found = accounts.list(kind, Duration.ofDays(days), 1000, LONG);
    assertThat(found.hasMore()).isFalse();
    assertThat(found.isTimeUp()).isFalse();
    return found.names().stream().map(Dn::toString).toList();
  }

  private AccountMetrics counters() {
    return directory.server.metrics().accounts();
  }

  @Test
  void shouldUnlockWhatWrongPasswordsHaveLocked() throws Exception {
    set(POLICY, "pwdLockoutDuration", "600");
    assertThat(status().isUsable()).isTrue();
    for (int i = 0; i < MOST; i++) {
      assertThat(bind("wrong")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    }
    AccountStatus locked = status();
    assertThat(locked.lock()).isEqualTo(Lock.WRONG_PASSWORDS);
    assertThat(locked.failures()).isEqualTo(MOST);
    assertThat(locked.until()).isBetween(now.plusSeconds(600), now.plusSeconds(601));
    assertThat(locked.policy()).hasToString(POLICY);
    assertThat(list(AccountKind.LOCKED, 0)).containsExactly(ANN);
    assertThat(bind("secret")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    List<String> modified = directory.values(ANN, "modifyTimestamp");
    List<String> csn = directory.values(ANN, "entryCSN");
    now = now.plusSeconds(1);
    assertThat(status().failures()).as("on record").isEqualTo(MOST);
    change(AccountAction.UNLOCK);
    assertThat(directory.values(ANN, "modifyTimestamp")).isEqualTo(modified);
    assertThat(directory.values(ANN, "entryCSN")).isNotEqualTo(csn);
    assertThat(directory.values(ANN, "pwdFailureTime")).isEmpty();
    assertThat(status().lock()).isEqualTo(Lock.NONE);
    assertThat(status().failures()).isZero();
    assertThat(list(AccountKind.LOCKED, 0)).isEmpty();
    for (int i = 1; i < MOST; i++) {
      assertThat(bind("wrong")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    }
    assertThat(bind("secret")).isEqualTo(ResultCode.SUCCESS);
    assertThat(counters().locked().sum()).isEqualTo(1);
    assertThat(counters().refusedLocked().sum()).isEqualTo(1);
  }

  /** Whatever is under way at the time: what is unlocked last can be used. */
  @Test
  void shouldUnlockWhileOthersGuess() throws Exception {
    List<LiveDirectory.Client> clients = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      clients.add(directory.open());
    }
    for (int round = 0; round < 20; round++) {
      List<Integer> sent = new ArrayList<>();
      for (LiveDirectory.Client each : clients) {
        sent.add(
            each.send(
                new Request.Bind(each.nextId(), 3, ANN, null, "wrong".getBytes(UTF_8), List.of())));
      }
      change(AccountAction.UNLOCK);
      for (int i = 0; i < clients.size(); i++) {
        assertThat(clients.get(i).result(sent.get(i)).result().code())
            .isEqualTo(ResultCode.INVALID_CREDENTIALS);
      }
      change(AccountAction.UNLOCK);
      assertThat(status().failures()).isZero();
      assertThat(bind("secret")).isEqualTo(ResultCode.SUCCESS);
    }
  }

  @Test
  void shouldLockForGood() throws Exception {
    change(AccountAction.LOCK);
    assertThat(directory.values(ANN, "pwdAccountLockedTime")).containsExactly("000001010000Z");
    assertThat(status().lock()).isEqualTo(Lock.FOR_GOOD);
    assertThat(status().until()).isNull();
    assertThat(bind("secret")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    assertThat(list(AccountKind.LOCKED, 0)).containsExactly(ANN);
    change(AccountAction.UNLOCK);
    assertThat(bind("secret")).isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldSayWhyNobodyLogsIn() throws Exception {
    set(ANN, "pwdStartTime", "20260201000000Z");
    assertThat(status().lock()).isEqualTo(Lock.NOT_STARTED);
    assertThat(status().until()).isEqualTo("2026-02-01T00:00:00Z");
    set(ANN, "pwdStartTime");
    set(ANN, "pwdEndTime", "20260101000000Z");
    assertThat(status().lock()).isEqualTo(Lock.ENDED);
    change(AccountAction.UNLOCK);
    assertThat(status().lock()).isEqualTo(Lock.ENDED);
    set(ANN, "pwdEndTime");
    set(POLICY, "pwdMinDelay", "30");
    bind("wrong");
    assertThat(status().lock()).isEqualTo(Lock.DELAYED);
    assertThat(status().until()).isBetween(now.plusSeconds(30), now.plusSeconds(31));
    change(AccountAction.UNLOCK);
    assertThat(bind("secret")).isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldExpireAPassword() throws Exception {
    assertThatExceptionOfType(LdapOperationException.class)
        .isThrownBy(() -> change(AccountAction.EXPIRE))
        .withMessageContaining("pwdMaxAge");
    set(POLICY, "pwdMaxAge", Integer.toString(30 * DAY));
    set(POLICY, "pwdMaxIdle", Integer.toString(90 * DAY));
    set(POLICY, "pwdGraceAuthNLimit", "1");
    assertThat(status().password().expires()).isEqualTo(now.plusSeconds(30 * DAY));
    assertThat(list(AccountKind.EXPIRING, 29)).isEmpty();
    assertThat(list(AccountKind.EXPIRING, 30)).containsExactly(ANN);
    change(AccountAction.EXPIRE);
    AccountStatus status = status();
    assertThat(status.password().isExpired()).isTrue();
    assertThat(status.password().graceLeft()).isEqualTo(1);
    assertThat(status.lock()).isEqualTo(Lock.NONE);
    assertThat(list(AccountKind.EXPIRING, 30)).isEmpty();
    assertThat(list(AccountKind.EXPIRED, 0)).containsExactly(ANN);
    assertThat(bind("secret")).isEqualTo(ResultCode.SUCCESS);
    assertThat(status().password().graceUses()).isEqualTo(1);
    assertThat(status().isUsable()).isFalse();
    assertThat(bind("secret")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    assertThat(counters().graceLogins().sum()).isEqualTo(1);
    assertThat(counters().refusedExpired().sum()).isEqualTo(1);
  }

  @Test
  void shouldDemandAnotherPassword() throws Exception {
    assertThatExceptionOfType(LdapOperationException.class)
        .isThrownBy(() -> change(AccountAction.RESET))
        .withMessageContaining("pwdMustChange");
    set(POLICY, "pwdMustChange", "TRUE");
    change(AccountAction.RESET);
    assertThat(status().password().mustChange()).isTrue();
    assertThat(list(AccountKind.RESET, 0)).containsExactly(ANN);
    assertThat(bind("secret")).isEqualTo(ResultCode.SUCCESS);
    assertThat(counters().loginsToChange().sum()).isEqualTo(1);
  }

  @Test
  void shouldLetIdleAccountsIn() throws Exception {
    set(POLICY, "pwdMaxIdle", Integer.toString(10 * DAY));
    now = now.plusSeconds(11 * DAY);
    assertThat(status().lock()).isEqualTo(Lock.IDLE);
    assertThat(list(AccountKind.IDLE, 10)).containsExactly(ANN);
    assertThat(list(AccountKind.IDLE, 12)).isEmpty();
    assertThat(list(AccountKind.LOCKED, 0)).isEmpty();
    change(AccountAction.UNLOCK);
    assertThat(status().lastLogin()).isEqualTo(now);
    assertThat(bind("secret")).isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldCountNewPasswordsThatAreRefused() throws Exception {
    set(POLICY, "pwdSafeModify", "TRUE");
    LiveDirectory.Client ann = directory.open();
    ann.bind(ANN, "secret");
    Request.Change change = UpdateFixture.change(2, "userPassword", "other");
    assertThat(
            ann.ask(new Request.Modify(ann.nextId(), ANN, List.of(change), List.of()))
                .result()
                .code())
        .isNotEqualTo(ResultCode.SUCCESS);
    assertThat(counters().passwordsRefused("must-supply-old-password").sum()).isEqualTo(1);
  }

  @Test
  void shouldListInSlicesUpToABound() throws Exception {
    set(POLICY, "pwdMaxAge", Integer.toString(DAY));
    for (int i = 0; i < 50; i++) {
      add("cn=u" + i + "," + UpdateFixture.TOP, "objectClass=person", "cn=u" + i, "sn=S");
      set("cn=u" + i + "," + UpdateFixture.TOP, "userPassword", "pw");
    }
    now = now.plusSeconds(2 * DAY);
    assertThat(list(AccountKind.EXPIRED, 0)).hasSize(51).startsWith(ANN);
    AccountList some = accounts.list(AccountKind.EXPIRED, Duration.ZERO, 7, LONG);
    assertThat(some.names()).hasSize(7);
    assertThat(some.hasMore()).isTrue();
    AccountList none = accounts.list(AccountKind.EXPIRED, Duration.ZERO, 1000, Duration.ZERO);
    assertThat(none.isTimeUp()).isTrue();
  }

  @Test
  void shouldRefuseNamesThatDoNotExist() {
    for (String name : List.of("cn=nobody," + UpdateFixture.TOP, "cn=elsewhere")) {
      assertThat(accounts.show(UpdateFixture.dn(name))).isNull();
      assertThatExceptionOfType(LdapOperationException.class)
          .isThrownBy(() -> accounts.change(AccountAction.LOCK, UpdateFixture.dn(name)))
          .satisfies(e -> assertThat(e.result().code()).isEqualTo(ResultCode.NO_SUCH_OBJECT));
    }
  }
}
