package org.nyala.core.operation;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.ANN;
import static org.nyala.core.operation.UpdateFixture.PEOPLE;
import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.UpdateFixture.delete;
import static org.nyala.core.operation.UpdateFixture.modify;
import static org.nyala.core.operation.UpdateFixture.rename;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Lane;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationFixture;

/** Tests that a remembered login is what a login with the slow hash would be. */
class RememberedLoginsTest {
  private static final long SEED = Seeds.seed();
  private static final int REPLACE = 2;
  private static final SliceBudget BUDGET = new SliceBudget(1000, Long.MAX_VALUE / 4);

  private final AtomicLong nanos = new AtomicLong();
  private final UpdateFixture directory = new UpdateFixture();

  @BeforeEach
  void clock() {
    directory.nanoClock = nanos::get;
    store(ANN, "secret");
  }

  @AfterEach
  void close() {
    directory.close();
  }

  private final Map<String, String> hashes = new HashMap<>();

  private String slow(String password) {
    return hashes.computeIfAbsent(
        password,
        each ->
            new String(
                PasswordHash.create(PasswordScheme.CRYPT, each.getBytes(UTF_8), new Random(SEED)),
                US_ASCII));
  }

  private void store(String name, String... passwords) {
    String[] values = List.of(passwords).stream().map(this::slow).toArray(String[]::new);
    assertThat(directory.code(modify(name, change(REPLACE, "userPassword", values))))
        .isEqualTo(ResultCode.SUCCESS);
  }

  /** Returns the lane in which a login was answered. */
  private Lane login(String name, String password, ResultCode expected) {
    directory.identity = BoundIdentity.ANONYMOUS;
    RecordingSink sink = new RecordingSink(100);
    Operation operation =
        directory.operation(
            new Request.Bind(1, 3, name, null, password.getBytes(UTF_8), List.of()), sink);
    Lane last;
    Outcome outcome;
    do {
      last = operation.lane();
      outcome = operation.run(BUDGET);
    } while (outcome == Outcome.YIELDED);
    UpdateFixture.await(sink);
    directory.identity = OperationFixture.ROOT;
    assertThat(sink.code()).as("%s %s, seed %s", name, password, SEED).isEqualTo(expected);
    return last;
  }

  private Lane login(String password) {
    return login(ANN, password, ResultCode.SUCCESS);
  }

  @Test
  void shouldComputeTheHashOnce() {
    assertThat(login("secret")).isEqualTo(Lane.HASH);
    assertThat(login("secret")).isEqualTo(Lane.READ);
    assertThat(login(ANN, "wrong", ResultCode.INVALID_CREDENTIALS)).isEqualTo(Lane.HASH);
    assertThat(login("secret")).isEqualTo(Lane.READ);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(600));
    assertThat(login("secret")).isEqualTo(Lane.HASH);
  }

  /** A service whose thousand connections log in at once takes one hash. */
  @Test
  void shouldComputeTheHashOnceForAllThatWait() {
    byte[] argon2 =
        PasswordHash.create(PasswordScheme.ARGON2, "secret".getBytes(UTF_8), new Random(SEED));
    assertThat(
            directory.code(
                modify(ANN, change(REPLACE, "userPassword", new String(argon2, US_ASCII)))))
        .isEqualTo(ResultCode.SUCCESS);
    directory.identity = BoundIdentity.ANONYMOUS;
    List<RecordingSink> sinks = new ArrayList<>();
    List<Operation> waiting = new ArrayList<>();
    for (String password : List.of("secret", "secret", "wrong")) {
      RecordingSink sink = new RecordingSink(100);
      Request bind = new Request.Bind(1, 3, ANN, null, password.getBytes(UTF_8), List.of());
      Operation operation = directory.operation(bind, sink);
      assertThat(operation.run(BUDGET)).isEqualTo(Outcome.YIELDED);
      assertThat(operation.lane()).isEqualTo(Lane.HASH);
      sinks.add(sink);
      waiting.add(operation);
    }
    long[] remembered = new long[3];
    for (int i = 0; i < 3; i++) {
      assertThat(waiting.get(i).run(BUDGET)).isEqualTo(Outcome.DONE);
      remembered[i] = waiting.get(i).session().metrics().passwordsRemembered().sum();
    }
    assertThat(sinks)
        .extracting(RecordingSink::code)
        .containsExactly(ResultCode.SUCCESS, ResultCode.SUCCESS, ResultCode.INVALID_CREDENTIALS);
    assertThat(remembered).containsExactly(0, 1, 1);
  }

  /** The slices of a login, each with its lane: all that a client can take the time of. */
  private List<String> slices(String name, String password, ResultCode expected) {
    directory.identity = BoundIdentity.ANONYMOUS;
    RecordingSink sink = new RecordingSink(100);
    Request bind = new Request.Bind(1, 3, name, null, password.getBytes(UTF_8), List.of());
    Operation operation = directory.operation(bind, sink);
    List<String> slices = new ArrayList<>();
    Outcome outcome;
    do {
      Lane lane = operation.lane();
      outcome = operation.run(BUDGET);
      slices.add(lane + " " + outcome);
    } while (outcome == Outcome.YIELDED);
    UpdateFixture.await(sink);
    directory.identity = OperationFixture.ROOT;
    assertThat(sink.code()).isEqualTo(expected);
    return slices;
  }

  /**
   * Wrong passwords reveal neither whether the right one is remembered nor whether there is one.
   */
  @Test
  void shouldRefuseInTheSameSlicesWhateverIsRemembered() {
    List<String> before = slices(ANN, "wrong", ResultCode.INVALID_CREDENTIALS);
    assertThat(login("secret")).isEqualTo(Lane.HASH);
    assertThat(login("secret")).isEqualTo(Lane.READ);
    assertThat(slices(ANN, "wrong", ResultCode.INVALID_CREDENTIALS)).isEqualTo(before);
    String nobody = "uid=nobody," + PEOPLE;
    assertThat(slices(nobody, "wrong", ResultCode.INVALID_CREDENTIALS)).isEqualTo(before);
    assertThat(before).hasSize(2);
    assertThat(slices(ANN, "secret", ResultCode.SUCCESS)).isNotEqualTo(before);
  }

  @Test
  void shouldComputeItAgainAfterEveryChange() {
    assertThat(login("secret")).isEqualTo(Lane.HASH);
    store(ANN, "other");
    assertThat(login(ANN, "secret", ResultCode.INVALID_CREDENTIALS)).isEqualTo(Lane.HASH);
    store(ANN, "secret", "second");
    assertThat(login("second")).isEqualTo(Lane.HASH);
    assertThat(login("second")).isEqualTo(Lane.READ);
    assertThat(directory.code(rename(ANN, "uid=eve", false))).isEqualTo(ResultCode.SUCCESS);
    String eve = "uid=eve," + PEOPLE;
    assertThat(login(ANN, "second", ResultCode.INVALID_CREDENTIALS)).isEqualTo(Lane.HASH);
    assertThat(login(eve, "second", ResultCode.SUCCESS)).isEqualTo(Lane.HASH);
    assertThat(directory.code(delete(eve))).isEqualTo(ResultCode.SUCCESS);
    assertThat(login(eve, "second", ResultCode.INVALID_CREDENTIALS)).isEqualTo(Lane.HASH);
  }

  @Test
  void shouldBeAsWithoutIt() {
    Random random = new Random(SEED);
    List<String> names = List.of(ANN, "uid=bob," + PEOPLE);
    List<String> words = List.of("one", "two", "three");
    assertThat(
            directory.code(
                UpdateFixture.add(
                    names.get(1),
                    "objectClass",
                    "inetOrgPerson",
                    "uid",
                    "bob",
                    "cn",
                    "b",
                    "sn",
                    "b")))
        .isEqualTo(ResultCode.SUCCESS);
    List<List<String>> model = List.of(new ArrayList<>(List.of("secret")), new ArrayList<>());
    int remembered = 0;
    for (int i = 0; i < 250; i++) {
      int who = random.nextInt(2);
      String word = words.get(random.nextInt(3));
      if (random.nextInt(6) == 0) {
        model.get(who).clear();
        model.get(who).add(word);
        String other = words.get(random.nextInt(3));
        if (!other.equals(word)) {
          model.get(who).add(other);
        }
        store(names.get(who), model.get(who).toArray(String[]::new));
      } else {
        boolean isRight = model.get(who).contains(word);
        Lane lane =
            login(
                names.get(who),
                word,
                isRight ? ResultCode.SUCCESS : ResultCode.INVALID_CREDENTIALS);
        remembered += lane == Lane.READ ? 1 : 0;
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(random.nextInt(60)));
      }
    }
    assertThat(remembered).isGreaterThan(20);
  }
}
