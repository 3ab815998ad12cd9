package org.nyala.core.operation.password;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.change;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nyala.core.Patience;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.LiveDirectory;

/** Logs in to one account, and changes its password, over many connections at once. */
@Timeout(120)
class PolicyAtOnceTest {
  private static final int LOGINS = 200;
  private static final int CHANGES = 100;
  private static final String ANN = PolicedDirectory.name("ann");
  private static final PolicyAnswer SUCCESS = PolicyAnswer.of(ResultCode.SUCCESS);
  private static final PolicyAnswer REFUSED = PolicyAnswer.of(ResultCode.INVALID_CREDENTIALS);
  private static final PolicyAnswer WRONG_OLD =
      PolicyAnswer.of(ResultCode.UNWILLING_TO_PERFORM, PolicyAnswer.MUST_SUPPLY_OLD);

  private PolicedDirectory policed;

  static Stream<String> strategies() {
    return DispatchStrategies.OFFERED.stream();
  }

  /** A request of a client, by its number. */
  private interface Attempt {
    PolicyAnswer make(LiveDirectory.Client client, int number);
  }

  private void start(String strategy, Map<String, String> policy) {
    policed = new PolicedDirectory(strategy, null);
    policed.policy(policy);
    policed.addUser("ann", "first");
  }

  @AfterEach
  void close() {
    policed.close();
  }

  private List<LiveDirectory.Client> clients(int count) {
    return IntStream.range(0, count).mapToObj(_ -> policed.directory.open()).toList();
  }

  private List<LiveDirectory.Client> bound(int count) {
    List<LiveDirectory.Client> clients = clients(count);
    clients.forEach(each -> assertThat(policed.bind(each, ANN, "first")).isEqualTo(SUCCESS));
    return clients;
  }

  private static List<PolicyAnswer> atOnce(List<LiveDirectory.Client> clients, Attempt attempt)
      throws Exception {
    CountDownLatch begin = new CountDownLatch(1);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<PolicyAnswer>> answers = new ArrayList<>();
      for (int i = 0; i < clients.size(); i++) {
        int number = i;
        Callable<PolicyAnswer> task =
            () -> {
              Patience.await(begin);
              return attempt.make(clients.get(number), number);
            };
        answers.add(threads.submit(task));
      }
      begin.countDown();
      return answers.stream().map(Patience::get).toList();
    }
  }

  @ParameterizedTest
  @MethodSource("strategies")
  void shouldGiveNoMoreGracesThanThePolicyAllows(String strategy) throws Exception {
    start(strategy, Map.of("pwdMaxAge", "100", "pwdGraceAuthNLimit", "5"));
    List<LiveDirectory.Client> clients = clients(LOGINS);
    policed.now = policed.now.plusSeconds(101);
    List<PolicyAnswer> answers = atOnce(clients, (client, _) -> policed.bind(client, ANN, "first"));
    assertThat(answers)
        .filteredOn(each -> each.code() == ResultCode.SUCCESS)
        .extracting(PolicyAnswer::grace)
        .containsExactlyInAnyOrder(4, 3, 2, 1, 0);
    assertThat(answers)
        .filteredOn(each -> each.code() != ResultCode.SUCCESS)
        .hasSize(LOGINS - 5)
        .containsOnly(PolicyAnswer.of(ResultCode.INVALID_CREDENTIALS, PolicyAnswer.EXPIRED));
    assertThat(policed.times(ANN, "pwdGraceUseTime")).hasSize(5).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @MethodSource("strategies")
  void shouldChangeOnceWithinTheMinimumAge(String strategy) throws Exception {
    start(strategy, Map.of("pwdMinAge", "100", "pwdInHistory", "3"));
    List<LiveDirectory.Client> clients = bound(CHANGES);
    policed.now = policed.now.plusSeconds(100);
    List<PolicyAnswer> answers =
        atOnce(
            clients,
            (client, number) ->
                number % 2 == 0
                    ? policed.modify(
                        client, ANN, change(PolicedDirectory.REPLACE, "userPassword", "p" + number))
                    : policed.passwordModify(client, ANN, null, "p" + number));
    assertThat(answers).filteredOn(SUCCESS::equals).hasSize(1);
    assertThat(answers)
        .filteredOn(each -> !each.equals(SUCCESS))
        .containsOnly(PolicyAnswer.of(ResultCode.CONSTRAINT_VIOLATION, PolicyAnswer.TOO_YOUNG));
    String right = "p" + answers.indexOf(SUCCESS);
    assertThat(policed.bind(policed.directory.open(), ANN, right)).isEqualTo(SUCCESS);
    assertThat(policed.directory.values(ANN, "pwdHistory")).hasSize(1);
  }

  /** Each change proves the password that another one has replaced, or is refused. */
  @ParameterizedTest
  @MethodSource("strategies")
  void shouldTakeAnOldPasswordOnce(String strategy) throws Exception {
    start(strategy, Map.of("pwdSafeModify", "TRUE"));
    List<PolicyAnswer> answers =
        atOnce(bound(CHANGES), (client, number) -> changes(client, number, "first"));
    assertThat(answers).filteredOn(SUCCESS::equals).hasSize(1);
    assertThat(policed.directory.values(ANN, "userPassword")).hasSize(1);
    String right = "p" + answers.indexOf(SUCCESS);
    assertThat(policed.bind(policed.directory.open(), ANN, right)).isEqualTo(SUCCESS);
  }

  /** Changes the password by delete and add, or by Password Modify. */
  private PolicyAnswer changes(LiveDirectory.Client client, int number, String old) {
    String wanted = "p" + number;
    return number % 2 == 0
        ? policed.modify(
            client,
            ANN,
            change(PolicedDirectory.DELETE, "userPassword", old),
            change(PolicedDirectory.ADD, "userPassword", wanted))
        : policed.passwordModify(client, ANN, old, wanted);
  }

  /** Each password that is looked at, and is wrong, is recorded: no more than lock the account. */
  @ParameterizedTest
  @MethodSource("strategies")
  void shouldLookAtNoMoreOldPasswordsThanThePolicyAllows(String strategy) throws Exception {
    start(
        strategy,
        Map.of("pwdLockout", "TRUE", "pwdMaxFailure", "4", "pwdMaxRecordedFailure", "1000"));
    List<LiveDirectory.Client> clients = bound(CHANGES);
    List<PolicyAnswer> answers =
        atOnce(clients, (client, number) -> changes(client, number, "wrong" + number));
    assertThat(answers).containsOnly(WRONG_OLD);
    assertThat(policed.times(ANN, "pwdFailureTime")).hasSize(4).doesNotHaveDuplicates();
    assertThat(policed.times(ANN, "pwdAccountLockedTime")).hasSize(1);
    assertThat(changes(clients.get(0), 0, "first")).isEqualTo(WRONG_OLD);
    assertThat(changes(clients.get(1), 1, "first")).isEqualTo(WRONG_OLD);
    assertThat(policed.bind(clients.get(2), ANN, "first")).isEqualTo(REFUSED);
    assertThat(policed.times(ANN, "pwdFailureTime")).hasSize(4);
  }

  /** Guesses count together, whichever way they come. */
  @ParameterizedTest
  @MethodSource("strategies")
  void shouldCountGuessesOfAllWaysTogether(String strategy) throws Exception {
    start(
        strategy,
        Map.of("pwdLockout", "TRUE", "pwdMaxFailure", "5", "pwdMaxRecordedFailure", "1000"));
    List<LiveDirectory.Client> clients = bound(CHANGES);
    List<PolicyAnswer> answers = atOnce(clients, this::guess);
    assertThat(answers).containsOnly(WRONG_OLD, REFUSED);
    assertThat(policed.times(ANN, "pwdFailureTime")).hasSize(5);
    assertThat(policed.bind(clients.getFirst(), ANN, "first")).isEqualTo(REFUSED);
  }

  private PolicyAnswer guess(LiveDirectory.Client client, int number) {
    String wrong = "wrong" + number;
    return switch (number % 4) {
      case 0 -> policed.bind(client, ANN, wrong);
      case 1 -> policed.plain(client, ANN, wrong);
      default -> changes(client, number, wrong);
    };
  }
}
