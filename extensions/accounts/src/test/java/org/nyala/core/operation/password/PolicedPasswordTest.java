package org.nyala.core.operation.password;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.change;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nyala.core.Patience;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.PolicySettings;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.message.DerefAliases;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.LiveDirectory;
import org.nyala.core.operation.UpdateFixture;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.policy.PolicyResponse;

/** Changes the passwords of an account with a policy, and logs in, by a clock that tests move. */
@Timeout(60)
class PolicedPasswordTest {
  private static final String POLICY = "cn=policy," + UpdateFixture.TOP;
  private static final String ANN = "cn=ann," + UpdateFixture.TOP;
  private static final RequestControl ASKS = new RequestControl(PolicyResponse.OID, false, null);
  private static final String PASSWORD_MODIFY = "1.3.6.1.4.1.4203.1.11.1";
  private static final int ADD = 0;
  private static final int DELETE = 1;
  private static final int REPLACE = 2;

  private volatile Instant now = Instant.parse("2026-01-31T12:00:00Z");
  private final LiveDirectory directory =
      new LiveDirectory(
          "adaptive",
          new AccessPolicy(true)
              .withPasswordPolicy(PolicySettings.NONE.by(UpdateFixture.dn(POLICY))),
          () -> now);
  private final LiveDirectory.Client root = directory.root();

  /** The ways in which a user changes its own password. */
  enum Way {
    MODIFY,
    OPERATION
  }

  @BeforeEach
  void fill() {
    add(
        POLICY,
        "objectClass=device",
        "objectClass=pwdPolicy",
        "cn=policy",
        "pwdAttribute=2.5.4.35");
    add(ANN, "objectClass=person", "cn=ann", "sn=Smith", "userPassword=first");
  }

  @AfterEach
  void close() {
    assertThat(directory.internalErrors()).isZero();
    directory.close();
  }

  private void add(String name, String... attributes) {
    assertThat(root.add(name, attributes)).as(name).isEqualTo(ResultCode.SUCCESS);
  }

  private void policy(String... attributes) {
    List<Request.Change> changes = new ArrayList<>();
    for (String each : attributes) {
      int at = each.indexOf('=');
      changes.add(change(REPLACE, each.substring(0, at), each.substring(at + 1)));
    }
    assertThat(modify(root, POLICY, changes).code()).isEqualTo(ResultCode.SUCCESS);
  }

  /**
   * An answer.
   *
   * @param error the number that the response control tells; negative for none
   * @param warning the one of the warning; negative for none
   * @param isTold true if there is a response control
   */
  private record Answer(ResultCode code, int error, int warning, boolean isTold) {
    static Answer of(LiveDirectory.Event event) throws Exception {
      byte[] value =
          event.result().controls().stream()
              .filter(each -> each.oid().equals(PolicyResponse.OID))
              .map(each -> each.value())
              .findFirst()
              .orElse(null);
      int error = -1;
      int warning = -1;
      if (value != null) {
        BerReader content = BerReader.trusted(value).sequence();
        while (content.hasNext()) {
          if (content.nextTag() == 0xa0) {
            BerReader inner = content.content(0xa0);
            warning = inner.integer(inner.nextTag());
          } else {
            error = content.integer(0x81);
          }
        }
      }
      return new Answer(event.result().code(), error, warning, value != null);
    }
  }

  private static Answer answer(LiveDirectory.Event event) {
    try {
      return Answer.of(event);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private Answer modify(LiveDirectory.Client client, String name, List<Request.Change> changes) {
    return answer(client.ask(new Request.Modify(client.nextId(), name, changes, List.of(ASKS))));
  }

  private Answer bind(LiveDirectory.Client client, String password) {
    return answer(
        client.ask(
            new Request.Bind(
                client.nextId(), 3, ANN, null, password.getBytes(UTF_8), List.of(ASKS))));
  }

  private Answer bind(String password) {
    return bind(directory.open(), password);
  }

  private LiveDirectory.Client ann(String password) {
    LiveDirectory.Client client = directory.open();
    assertThat(bind(client, password).code()).isEqualTo(ResultCode.SUCCESS);
    return client;
  }

  private Answer changeOwn(
      LiveDirectory.Client client, Way way, @Nullable String old, String wanted) {
    if (way == Way.MODIFY) {
      return modify(
          client,
          ANN,
          old == null
              ? List.of(change(REPLACE, "userPassword", wanted))
              : List.of(change(DELETE, "userPassword", old), change(ADD, "userPassword", wanted)));
    }
    BerWriter content = new BerWriter().octets(0x80, ANN.getBytes(UTF_8));
    if (old != null) {
      content.octets(0x81, old.getBytes(UTF_8));
    }
    content.octets(0x82, wanted.getBytes(UTF_8));
    byte[] value = new BerWriter().sequence(content).toByteArray();
    return answer(
        client.ask(new Request.Extended(client.nextId(), PASSWORD_MODIFY, value, List.of(ASKS))));
  }

  private void reset(String password) {
    assertThat(modify(root, ANN, List.of(change(REPLACE, "userPassword", password))).code())
        .isEqualTo(ResultCode.SUCCESS);
  }

  private List<String> values(String attribute) {
    return directory.values(ANN, attribute);
  }

  private void pass(long seconds) {
    now = now.plusSeconds(seconds);
  }

  @Test
  void shouldWarnAndExpireAndGiveGraces() {
    policy("pwdMaxAge=100", "pwdExpireWarning=20", "pwdGraceAuthNLimit=2", "pwdGraceExpiry=50");
    assertThat(bind("first")).isEqualTo(new Answer(ResultCode.SUCCESS, -1, -1, true));
    pass(85);
    assertThat(bind("first")).isEqualTo(new Answer(ResultCode.SUCCESS, -1, 15, true));
    pass(16);
    assertThat(bind("first")).isEqualTo(new Answer(ResultCode.SUCCESS, -1, 1, true));
    assertThat(bind("wrong")).isEqualTo(new Answer(ResultCode.INVALID_CREDENTIALS, -1, -1, true));
    assertThat(bind("first")).isEqualTo(new Answer(ResultCode.SUCCESS, -1, 0, true));
    assertThat(values("pwdGraceUseTime")).hasSize(2);
    assertThat(bind("first")).isEqualTo(new Answer(ResultCode.INVALID_CREDENTIALS, 0, -1, true));
    reset("second");
    assertThat(values("pwdGraceUseTime")).isEmpty();
    assertThat(bind("second").warning()).isNegative();
    pass(151);
    assertThat(bind("second")).isEqualTo(new Answer(ResultCode.INVALID_CREDENTIALS, 0, -1, true));
  }

  @ParameterizedTest
  @EnumSource
  void shouldAllowNothingButAChangeAfterAReset(Way way) {
    policy("pwdMustChange=TRUE");
    reset("second");
    assertThat(values("pwdReset")).containsExactly("TRUE");
    LiveDirectory.Client client = directory.open();
    assertThat(bind(client, "second")).isEqualTo(new Answer(ResultCode.SUCCESS, 2, -1, true));
    Answer refused = new Answer(ResultCode.INSUFFICIENT_ACCESS_RIGHTS, 2, -1, true);
    assertThat(search(client)).isEqualTo(refused);
    assertThat(modify(client, ANN, List.of(change(REPLACE, "description", "x"))))
        .isEqualTo(refused);
    assertThat(modify(client, ANN, List.of(change(DELETE, "userPassword")))).isEqualTo(refused);
    assertThat(modify(client, POLICY, List.of(change(REPLACE, "userPassword", "x"))))
        .isEqualTo(refused);
    assertThat(changeOwn(client, way, null, "third").code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(values("pwdReset")).isEmpty();
    assertThat(search(client).code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(bind("third")).isEqualTo(new Answer(ResultCode.SUCCESS, -1, -1, true));
  }

  /** The control of Sun's directories, byte by byte. */
  @Test
  void shouldTellIfTheAccountCanBeUsed() {
    assertThat(usability()).isEqualTo("8001ff");
    policy("pwdMaxAge=100", "pwdGraceAuthNLimit=3", "pwdLockout=TRUE", "pwdMaxFailure=1");
    pass(40);
    assertThat(usability()).isEqualTo("80013c");
    policy("pwdLockoutDuration=300");
    assertThat(bind("wrong").code()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    assertThat(usability()).isEqualTo("a10d8001ff8101008201008402012c");
    pass(300);
    assertThat(usability()).isEqualTo("a10c8001008101008201ff830103");
    assertThat(modify(root, ANN, List.of(change(REPLACE, "pwdReset", "TRUE"))).code())
        .isEqualTo(ResultCode.SUCCESS);
    policy("pwdMustChange=TRUE", "pwdMaxAge=0");
    assertThat(usability()).isEqualTo("a1098001008101ff820100");
  }

  private String usability() {
    int id = root.send(search(root, new RequestControl("1.3.6.1.4.1.42.2.27.9.5.8", true, null)));
    assertThat(root.result(id).result().code()).isEqualTo(ResultCode.SUCCESS);
    return HexFormat.of().formatHex(root.entries(id).getFirst().controls().getFirst().value());
  }

  private static Request.Search search(LiveDirectory.Client client, RequestControl control) {
    return new Request.Search(
        client.nextId(),
        ANN,
        Scope.BASE,
        DerefAliases.NEVER,
        0,
        0,
        false,
        new FilterNode.Present("objectClass"),
        List.of("1.1"),
        List.of(control));
  }

  private Answer search(LiveDirectory.Client client) {
    return answer(client.ask(search(client, ASKS)));
  }

  @ParameterizedTest
  @EnumSource
  void shouldRememberFormerPasswords(Way way) {
    policy("pwdInHistory=2");
    LiveDirectory.Client client = ann("first");
    Answer refused = new Answer(ResultCode.CONSTRAINT_VIOLATION, 8, -1, true);
    assertThat(changeOwn(client, way, null, "first")).isEqualTo(refused);
    assertThat(changeOwn(client, way, null, "second").code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(changeOwn(client, way, null, "third").code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(changeOwn(client, way, null, "first")).isEqualTo(refused);
    assertThat(changeOwn(client, way, null, "second")).isEqualTo(refused);
    assertThat(changeOwn(client, way, null, "fourth").code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(values("pwdHistory")).hasSize(2);
    assertThat(changeOwn(client, way, null, "first").code()).isEqualTo(ResultCode.SUCCESS);
    policy("pwdInHistory=0");
    reset("fifth");
    assertThat(values("pwdHistory")).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void shouldCheckLengths(Way way) {
    policy("pwdCheckQuality=1", "pwdMinLength=6", "pwdMaxLength=8");
    LiveDirectory.Client client = ann("first");
    assertThat(changeOwn(client, way, null, "short"))
        .isEqualTo(new Answer(ResultCode.CONSTRAINT_VIOLATION, 6, -1, true));
    assertThat(changeOwn(client, way, null, "much too long"))
        .isEqualTo(new Answer(ResultCode.CONSTRAINT_VIOLATION, 9, -1, true));
    assertThat(changeOwn(client, way, null, "müßiger").code()).isEqualTo(ResultCode.SUCCESS);
    reset("x");
    assertThat(bind("x").code()).isEqualTo(ResultCode.SUCCESS);
  }

  @ParameterizedTest
  @EnumSource
  void shouldWantTheOldPassword(Way way) {
    policy("pwdSafeModify=TRUE", "pwdLockout=TRUE", "pwdMaxFailure=2");
    LiveDirectory.Client client = ann("first");
    assertThat(changeOwn(client, way, null, "second"))
        .isEqualTo(new Answer(ResultCode.INSUFFICIENT_ACCESS_RIGHTS, 4, -1, true));
    assertThat(changeOwn(client, way, "wrong", "second"))
        .isEqualTo(new Answer(ResultCode.UNWILLING_TO_PERFORM, 4, -1, true));
    assertThat(values("pwdFailureTime")).hasSize(1);
    assertThat(changeOwn(client, way, "first", "second").code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(values("pwdFailureTime")).isEmpty();
    for (int i = 0; i < 3; i++) {
      assertThat(changeOwn(client, way, "wrong", "third").code())
          .isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    }
    assertThat(values("pwdFailureTime")).hasSize(2);
    assertThat(changeOwn(client, way, "second", "third").code())
        .isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(bind("second").code()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
  }

  @ParameterizedTest
  @EnumSource
  void shouldWantTimeBetweenChanges(Way way) {
    policy("pwdMinAge=100");
    pass(99);
    LiveDirectory.Client client = ann("first");
    Answer refused = new Answer(ResultCode.CONSTRAINT_VIOLATION, 7, -1, true);
    assertThat(changeOwn(client, way, null, "second")).isEqualTo(refused);
    assertThat(modify(client, ANN, List.of(change(DELETE, "userPassword"))).code())
        .isNotEqualTo(ResultCode.SUCCESS);
    pass(1);
    assertThat(changeOwn(client, way, null, "second").code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(changeOwn(client, way, null, "third")).isEqualTo(refused);
    reset("fourth");
  }

  @ParameterizedTest
  @EnumSource
  void shouldKeepUsersFromChanging(Way way) {
    policy("pwdAllowUserChange=FALSE");
    assertThat(changeOwn(ann("first"), way, null, "second"))
        .isEqualTo(new Answer(ResultCode.INSUFFICIENT_ACCESS_RIGHTS, 3, -1, true));
    reset("second");
    assertThat(bind("second").code()).isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldDelayAfterEachWrongPassword() {
    policy("pwdLockout=TRUE", "pwdMinDelay=10", "pwdMaxDelay=30");
    assertThat(bind("wrong").code()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    assertThat(bind("first").code()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    pass(10);
    assertThat(bind("wrong").code()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    pass(19);
    assertThat(bind("first").code()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    pass(1);
    assertThat(bind("wrong").code()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    pass(29);
    assertThat(bind("first").code()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    pass(1);
    assertThat(bind("first").code()).isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldUnlockByAReset() {
    policy("pwdLockout=TRUE", "pwdMaxFailure=1");
    assertThat(bind("wrong").code()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    assertThat(values("pwdAccountLockedTime")).hasSize(1);
    assertThat(bind("first").code()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    reset("second");
    assertThat(values("pwdAccountLockedTime")).isEmpty();
    assertThat(bind("second").code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(bind("wrong").code()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    assertThat(modify(root, ANN, List.of(change(DELETE, "pwdAccountLockedTime"))).code())
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(values("pwdFailureTime")).isEmpty();
    assertThat(bind("second").code()).isEqualTo(ResultCode.SUCCESS);
  }

  /** Whoever has locked an account does not expect its owner to unlock it. */
  @ParameterizedTest
  @EnumSource
  void shouldNotUnlockByAChangeOfTheOwners(Way way) {
    LiveDirectory.Client client = ann("first");
    assertThat(
            modify(root, ANN, List.of(change(REPLACE, "pwdAccountLockedTime", "000001010000Z")))
                .code())
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(changeOwn(client, way, null, "second").code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(bind("second").code()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
  }

  @Test
  void shouldLockWhoeverDoesNotLogIn() {
    policy("pwdMaxIdle=1000");
    pass(900);
    assertThat(bind("first").code()).isEqualTo(ResultCode.SUCCESS);
    Patience.eventually("a record", () -> !values("pwdLastSuccess").isEmpty());
    pass(900);
    assertThat(bind("first").code()).isEqualTo(ResultCode.SUCCESS);
    Patience.eventually(
        "another record", () -> values("pwdLastSuccess").getFirst().equals("20260131123000Z"));
    pass(1001);
    assertThat(bind("first").code()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    reset("second");
    assertThat(bind("second").code()).isEqualTo(ResultCode.SUCCESS);
  }

  private void shouldLogIn(ResultCode code) {
    assertThat(bind("first").code()).as("at %s", now).isEqualTo(code);
  }

  /** The hash of the first login is slow, and the others are remembered. */
  @Test
  void shouldCountAndLockWhateverIsRemembered() {
    policy("pwdLockout=TRUE", "pwdMaxFailure=3");
    String slow =
        new String(
            PasswordHash.create(PasswordScheme.CRYPT, "first".getBytes(UTF_8), new Random(1)),
            UTF_8);
    assertThat(modify(root, ANN, List.of(change(REPLACE, "userPassword", slow))).code())
        .isEqualTo(ResultCode.SUCCESS);
    for (int round = 0; round < 2; round++) {
      assertThat(bind("first").code()).isEqualTo(ResultCode.SUCCESS);
      assertThat(bind("first").code()).isEqualTo(ResultCode.SUCCESS);
      Patience.eventually("no failures", () -> values("pwdFailureTime").isEmpty());
      for (int failures = 1; failures < 3; failures++) {
        assertThat(bind("wrong").code()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
        assertThat(values("pwdFailureTime")).hasSize(failures);
      }
    }
    assertThat(bind("wrong").code()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    assertThat(values("pwdAccountLockedTime")).hasSize(1);
    assertThat(bind("first").code()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    assertThat(modify(root, ANN, List.of(change(DELETE, "pwdAccountLockedTime"))).code())
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(bind("first").code()).isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldLockFromATimeToComeOn() {
    policy("pwdLockout=TRUE", "pwdMaxFailure=3", "pwdLockoutDuration=10");
    assertThat(
            modify(root, ANN, List.of(change(REPLACE, "pwdAccountLockedTime", "20260131120005Z")))
                .code())
        .isEqualTo(ResultCode.SUCCESS);
    Instant begin = now;
    for (int second : new int[] {4, 5, 14, 15}) {
      now = begin.plusSeconds(second);
      shouldLogIn(
          second == 5 || second == 14 ? ResultCode.INVALID_CREDENTIALS : ResultCode.SUCCESS);
    }
    Patience.eventually("the lock has gone", () -> values("pwdAccountLockedTime").isEmpty());
  }

  /** A lock that follows from wrong passwords is none to come. */
  @Test
  void shouldKeepTheLockOfWrongPasswordsIfTheClockIsSetBack() {
    policy("pwdLockout=TRUE", "pwdMaxFailure=2");
    assertThat(bind("wrong").code()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    assertThat(bind("wrong").code()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    now = now.minusSeconds(3600);
    shouldLogIn(ResultCode.INVALID_CREDENTIALS);
  }
}
