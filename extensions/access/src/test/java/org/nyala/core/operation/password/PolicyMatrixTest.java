package org.nyala.core.operation.password;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.password.PolicedDirectory.ADD;
import static org.nyala.core.operation.password.PolicedDirectory.ASKS;
import static org.nyala.core.operation.password.PolicedDirectory.DELETE;
import static org.nyala.core.operation.password.PolicedDirectory.REPLACE;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.nyala.core.message.DerefAliases;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.LiveDirectory;
import org.nyala.core.operation.UpdateFixture;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;

/** Tests each operation in each state of the client's account. */
@Timeout(60)
class PolicyMatrixTest {
  private static final String ANN = PolicedDirectory.name("ann");
  private static final String BOB = PolicedDirectory.name("bob");
  private static final String NEW = PolicedDirectory.name("new");

  /** The policy of the other user, which demands nothing. */
  private static final String FREE = PolicedDirectory.name("free");

  private static final String SECRET = "first";
  private static final String WHO_AM_I = "1.3.6.1.4.1.4203.1.11.3";
  private static final String START_TRANSACTION = "1.3.6.1.1.21.1";
  private static final String SCRAM =
      new String(
          PasswordHash.create(PasswordScheme.SCRAM_SHA256, SECRET.getBytes(UTF_8), new Random(1)),
          UTF_8);
  private static final String RULES =
      """
      to attributes userPassword
        self may write
        anonymous may authenticate
      to all
        users may read, write
      """;

  private static final PolicyAnswer SUCCESS = PolicyAnswer.of(ResultCode.SUCCESS);
  private static final PolicyAnswer MUST_CHANGE =
      PolicyAnswer.of(ResultCode.INSUFFICIENT_ACCESS_RIGHTS, PolicyAnswer.CHANGE_AFTER_RESET);
  private static final PolicyAnswer WRONG_OLD =
      PolicyAnswer.of(ResultCode.UNWILLING_TO_PERFORM, PolicyAnswer.MUST_SUPPLY_OLD);

  private final PolicedDirectory policed = new PolicedDirectory("adaptive", RULES);
  private final LiveDirectory.Client client = policed.directory.open();

  /** The ways to log in. */
  enum Login {
    SIMPLE,
    PLAIN,
    SCRAM
  }

  /** The operations of a client that has logged in. */
  enum Step {
    /** Allowed before the password is changed, too. */
    OWN_REPLACE,
    OWN_DELETE_AND_ADD,
    OWN_OPERATION,
    OWN_OPERATION_WITH_OLD,
    WHO_AM_I,
    ROOT_DSE,
    REBIND,
    /** Refused before. */
    SEARCH,
    COMPARE,
    ADD,
    DELETE,
    RENAME,
    MODIFY,
    MODIFY_WITH_PASSWORD,
    DELETE_PASSWORD,
    PASSWORD_OF_ANOTHER,
    TRANSACTION;

    boolean sendsOld() {
      return this == OWN_DELETE_AND_ADD || this == OWN_OPERATION_WITH_OLD;
    }

    boolean isAllowedBeforeChange() {
      return compareTo(SEARCH) < 0;
    }
  }

  @BeforeEach
  void fill() {
    policed.policy(PolicyState.POLICY);
    policed.addUser("ann", SECRET);
    policed.addUser("bob", SECRET);
    policed.add(FREE, "objectClass=device", "objectClass=pwdPolicy", "pwdAttribute=2.5.4.35");
    policed.asRoot(BOB, change(REPLACE, "pwdPolicySubentry", FREE));
    assertThat(policed.bind(client, ANN, SECRET)).isEqualTo(SUCCESS);
    policed.settle();
  }

  @AfterEach
  void close() {
    policed.close();
  }

  static Stream<Arguments> logins() {
    return Stream.of(PolicyState.values())
        .flatMap(state -> Stream.of(Login.values()).map(login -> Arguments.of(state, login)));
  }

  static Stream<Arguments> steps() {
    return Stream.of(PolicyState.values())
        .flatMap(state -> Stream.of(Step.values()).map(step -> Arguments.of(state, step)));
  }

  private PolicyAnswer logIn(Login login, LiveDirectory.Client connection, String password) {
    return switch (login) {
      case SIMPLE -> policed.bind(connection, ANN, password);
      case PLAIN -> policed.plain(connection, ANN, password);
      case SCRAM -> ScramClient.bind(connection, ANN, password);
    };
  }

  @ParameterizedTest
  @MethodSource("logins")
  void shouldAnswerLogins(PolicyState state, Login login) {
    String stored = policed.directory.values(ANN, "userPassword").getFirst();
    if (login == Login.SCRAM) {
      stored = SCRAM;
      policed.policy(Map.of("pwdMustChange", "FALSE"));
      policed.asRoot(ANN, change(REPLACE, "userPassword", stored));
      policed.policy(Map.of("pwdMustChange", "TRUE"));
    }
    state.bringAbout(policed, ANN, stored);
    LiveDirectory.Client connection = policed.directory.open();
    PolicyAnswer refused = PolicyAnswer.of(ResultCode.INVALID_CREDENTIALS);
    int failures = policed.times(ANN, "pwdFailureTime").size();
    if (state != PolicyState.FINE) {
      assertThat(logIn(login, connection, "wrong")).isEqualTo(refused);
      assertThat(policed.times(ANN, "pwdFailureTime"))
          .hasSize(state.isLocked() ? failures : failures + 1);
    }
    assertThat(logIn(login, connection, SECRET)).isEqualTo(state.login());
    PolicyAnswer searched = policed.search(connection, ANN);
    if (state.login().code() != ResultCode.SUCCESS) {
      assertThat(searched.code()).isEqualTo(ResultCode.NO_SUCH_OBJECT);
    } else {
      assertThat(searched).isEqualTo(state.mustChange() ? MUST_CHANGE : SUCCESS);
    }
    policed.settle();
    assertThat(policed.times(ANN, "pwdGraceUseTime")).hasSize(state == PolicyState.GRACE ? 1 : 0);
    assertThat(policed.times(ANN, "pwdFailureTime")).hasSize(state.isLocked() ? failures : 0);
  }

  /** Sessions go on as they were begun, but no password is looked at if the account is locked. */
  @ParameterizedTest
  @MethodSource("steps")
  void shouldAnswerOperations(PolicyState state, Step step) {
    state.bringAbout(policed, ANN, PolicedDirectory.hashed(SECRET));
    if (state.mustChange()) {
      assertThat(policed.bind(client, ANN, SECRET)).isEqualTo(state.login());
    }
    boolean isRefused = state.mustChange() && !step.isAllowedBeforeChange();
    List<String> names = names();
    PolicyAnswer answer = make(step);
    if (isRefused) {
      assertThat(answer).isEqualTo(MUST_CHANGE);
      assertThat(names()).isEqualTo(names);
      assertThat(policed.search(client, ANN)).isEqualTo(MUST_CHANGE);
      return;
    }
    assertThat(answer).isEqualTo(state.isLocked() && step.sendsOld() ? WRONG_OLD : usual(step));
    boolean isSet = step.name().startsWith("OWN") || step == Step.MODIFY_WITH_PASSWORD;
    boolean isChanged = isSet && answer.equals(SUCCESS);
    boolean isOpen = !state.mustChange() || isChanged || step == Step.REBIND;
    assertThat(policed.search(client, ANN)).isEqualTo(isOpen ? SUCCESS : MUST_CHANGE);
    policed.settle();
    int failures = state == PolicyState.LOCKED ? 3 : state == PolicyState.DELAYED ? 1 : 0;
    assertThat(policed.times(ANN, "pwdFailureTime")).hasSize(isChanged ? 0 : failures);
  }

  private List<String> names() {
    return policed.directory.store.entries().stream().map(each -> each.dn().toString()).toList();
  }

  private static PolicyAnswer usual(Step step) {
    return switch (step) {
      case COMPARE -> PolicyAnswer.of(ResultCode.COMPARE_TRUE);
      case PASSWORD_OF_ANOTHER -> PolicyAnswer.of(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
      default -> SUCCESS;
    };
  }

  private PolicyAnswer make(Step step) {
    Request.Change wanted = change(REPLACE, "userPassword", "second");
    Request.Change description = change(REPLACE, "description", "x");
    return switch (step) {
      case OWN_REPLACE -> policed.modify(client, ANN, wanted);
      case OWN_DELETE_AND_ADD ->
          policed.modify(
              client,
              ANN,
              change(DELETE, "userPassword", SECRET),
              change(ADD, "userPassword", "second"));
      case OWN_OPERATION -> policed.passwordModify(client, ANN, null, "second");
      case OWN_OPERATION_WITH_OLD -> policed.passwordModify(client, ANN, SECRET, "second");
      case WHO_AM_I -> extended(WHO_AM_I);
      case TRANSACTION -> extended(START_TRANSACTION);
      case ROOT_DSE -> search("");
      case SEARCH -> search(BOB);
      case REBIND -> policed.bind(client, BOB, SECRET);
      case COMPARE ->
          policed.ask(
              client,
              new Request.Compare(client.nextId(), BOB, "sn", "Smith".getBytes(UTF_8), ASKS));
      case ADD ->
          policed.ask(
              client,
              new Request.Add(
                  client.nextId(),
                  NEW,
                  List.of(
                      UpdateFixture.values("objectClass", "device"),
                      UpdateFixture.values("cn", "new")),
                  ASKS));
      case DELETE -> policed.ask(client, new Request.Delete(client.nextId(), BOB, ASKS));
      case RENAME ->
          policed.ask(
              client, new Request.ModifyDn(client.nextId(), BOB, "cn=other", false, null, ASKS));
      case MODIFY -> policed.modify(client, ANN, description);
      case MODIFY_WITH_PASSWORD -> policed.modify(client, ANN, wanted, description);
      case DELETE_PASSWORD -> policed.modify(client, ANN, change(DELETE, "userPassword"));
      case PASSWORD_OF_ANOTHER -> policed.passwordModify(client, BOB, null, "second");
    };
  }

  private PolicyAnswer extended(String oid) {
    return policed.ask(client, new Request.Extended(client.nextId(), oid, null, ASKS));
  }

  private PolicyAnswer search(String name) {
    return policed.ask(
        client,
        new Request.Search(
            client.nextId(),
            name,
            Scope.BASE,
            DerefAliases.NEVER,
            0,
            0,
            false,
            new FilterNode.Present("objectClass"),
            List.of("1.1"),
            ASKS));
  }

  /** The rights of a session stay if somebody else sets its user's password anew. */
  @Test
  void shouldLetSessionsGoOnAfterAReset() {
    policed.set(ANN, "second");
    assertThat(policed.search(client, BOB)).isEqualTo(SUCCESS);
    assertThat(policed.bind(client, ANN, "second")).isEqualTo(PolicyState.RESET.login());
    assertThat(policed.search(client, BOB)).isEqualTo(MUST_CHANGE);
    // A login that fails leaves the client anonymous, and free to read what anonymous ones may.
    assertThat(policed.bind(client, ANN, "wrong").code()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    assertThat(policed.search(client, BOB).code()).isEqualTo(ResultCode.NO_SUCH_OBJECT);
  }

  /** Time alone ends these states, to the second. */
  @ParameterizedTest
  @EnumSource(
      value = PolicyState.class,
      names = {"LOCKED", "NOT_STARTED", "DELAYED"})
  void shouldEndByTime(PolicyState state) {
    state.bringAbout(policed, ANN, PolicedDirectory.hashed(SECRET));
    int seconds = state == PolicyState.LOCKED ? 200 : state == PolicyState.DELAYED ? 10 : 1;
    policed.now = policed.now.plusSeconds(seconds - 1);
    assertThat(policed.bind(client, ANN, SECRET)).isEqualTo(state.login());
    // The last of three failures at the same time has a later one.
    policed.now = policed.now.plusSeconds(1).plusMillis(1);
    assertThat(policed.bind(client, ANN, SECRET)).isEqualTo(SUCCESS);
  }
}
