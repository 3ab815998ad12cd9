package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.session.OperationFixture.bytes;
import static org.nyala.core.session.OperationFixture.entry;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.GuessingLimits;
import org.nyala.core.directory.RootAccounts;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task;
import org.nyala.core.entry.Entry;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.limits.TestLimits;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.sasl.SaslSettings;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationFixture;

/** Tests binds after many wrong passwords, with a clock that stands still. */
class GuessingTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String ANN = "uid=ann," + TOP;
  private static final String BOB = "uid=bob," + TOP;
  private static final String NOBODY = "uid=nobody," + TOP;

  /** At least as many as a machine has processors. */
  private static final int NAME = Math.max(20, Runtime.getRuntime().availableProcessors());

  private static final int SOURCE = 3 * NAME;
  private static final int REFILL_SECONDS = 10 * NAME;
  private static final GuessingLimits LIMITS =
      new GuessingLimits(SOURCE, NAME, NAME, REFILL_SECONDS);

  private final OperationFixture directory =
      new OperationFixture()
          .store(
              List.of(
                  entry(TOP, "objectClass", "domain", "dc", "example"),
                  user("ann", "{CRYPT}$1$saltsalt$9xy1btjgzLYfb7hivXtC//"),
                  user("bob", hash())),
              false);

  private static String hash() {
    return new String(
        PasswordHash.create(PasswordScheme.SSHA, bytes("secret"), new Random(1)),
        StandardCharsets.US_ASCII);
  }

  private static Entry user(String uid, String stored) {
    return entry(
        "uid=" + uid + ',' + TOP, "objectClass", "account", "uid", uid, "userPassword", stored);
  }

  @BeforeEach
  void limit() {
    directory.access = new AccessPolicy(false).withSasl(SaslSettings.DEFAULT).withGuessing(LIMITS);
    // Names that do not exist take as long as this one from now on, and not as long as new hashes.
    directory.address = "elsewhere";
    assertThat(bind(BOB, "secret")).isEqualTo(ResultCode.SUCCESS);
    directory.address = "192.0.2.1";
  }

  private ResultCode bind(String name, String password) {
    return directory.run(new Request.Bind(1, 3, name, null, bytes(password), List.of())).code();
  }

  private ResultCode plain(String user, String password) {
    byte[] message = bytes("\0" + user + '\0' + password);
    return directory.run(new Request.Bind(1, 3, "", "PLAIN", message, List.of())).code();
  }

  private void guess(String name, int times) {
    for (int i = 0; i < times; i++) {
      assertThat(bind(name, "wrong")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    }
  }

  private void later(int seconds) {
    directory.nowNanos += TimeUnit.SECONDS.toNanos(seconds);
  }

  @Test
  void shouldNotLookAtPasswordsAfterTooManyWrongOnes() {
    guess(BOB, NAME);
    assertThat(bind(BOB, "secret")).isEqualTo(ResultCode.BUSY);
    assertThat(directory.slices).isEqualTo(1);
    assertThat(directory.established).isNull();
    assertThat(directory.passwordsRefused).isEqualTo(1);
    later(9);
    assertThat(bind(BOB, "secret")).isEqualTo(ResultCode.BUSY);
    // Refusals are no failures: with them, this would come later.
    later(1);
    assertThat(bind(BOB, "secret")).isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldNotSendToTheThreadsForHashesWhatIsRefused() {
    for (int i = 0; i < NAME; i++) {
      directory.address = "source" + i;
      bind(ANN, "wrong");
      assertThat(directory.lastLane).isEqualTo(Task.Lane.HASH);
    }
    assertThat(bind(ANN, "secret")).isEqualTo(ResultCode.BUSY);
    assertThat(directory.lastLane).isEqualTo(Task.Lane.READ);
  }

  @Test
  void shouldCountNamesHoweverTheyAreWrittenAndWhetherOrNotTheyExist() {
    for (String name : List.of(BOB, NOBODY)) {
      guess(name, NAME - 2);
      guess(name.replace("uid=", " UID = ").toUpperCase(java.util.Locale.ROOT), 2);
      assertThat(bind(name, "wrong")).isEqualTo(ResultCode.BUSY);
      assertThat(bind(name, "secret")).isEqualTo(ResultCode.BUSY);
    }
  }

  @Test
  void shouldCountMechanismsTogether() {
    guess(BOB, NAME - 1);
    assertThat(plain("bob", "wrong")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    assertThat(plain("u:bob", "secret")).isEqualTo(ResultCode.BUSY);
    assertThat(bind(BOB, "secret")).isEqualTo(ResultCode.BUSY);
    for (int i = 0; i < NAME; i++) {
      assertThat(plain("no  body", "wrong")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    }
    assertThat(plain("No Body", "wrong")).isEqualTo(ResultCode.BUSY);
  }

  @Test
  void shouldLetOwnersInFromWhereTheyHaveBound() {
    directory.address = "home";
    assertThat(bind(BOB, "secret")).isEqualTo(ResultCode.SUCCESS);
    directory.address = "stranger";
    guess(BOB, NAME);
    assertThat(bind(BOB, "secret")).isEqualTo(ResultCode.BUSY);
    directory.address = "home";
    for (int i = 0; i < 3 * NAME; i++) {
      assertThat(bind(BOB, "secret")).isEqualTo(ResultCode.SUCCESS);
    }
    guess(BOB, NAME);
    assertThat(bind(BOB, "secret")).isEqualTo(ResultCode.BUSY);
  }

  @Test
  void shouldCountOneSourceOverAllNames() {
    for (int i = 0; i < SOURCE; i++) {
      guess("uid=user" + i + ',' + TOP, 1);
    }
    assertThat(bind(BOB, "secret")).isEqualTo(ResultCode.BUSY);
    directory.address = "another";
    assertThat(bind(BOB, "secret")).isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldLetRootInOnTheMachineWhateverStrangersDo() {
    String root = "cn=admin," + TOP;
    guess(root, NAME);
    assertThat(bind(root, "rootpw")).isEqualTo(ResultCode.BUSY);
    directory.onThisMachine = true;
    directory.address = "127.0.0.1";
    assertThat(bind(root, "rootpw")).isEqualTo(ResultCode.SUCCESS);
  }

  private void take(GuessingLimits limits) {
    directory.operations.reconfigure(
        directory.access.withGuessing(limits), directory.limits, RootAccounts.NONE);
  }

  /** Debts are counted by the limits, so that a reload with others is the way to free somebody. */
  @Test
  void shouldBeginAnewUnderOtherLimits() {
    guess(BOB, NAME);
    take(new GuessingLimits(SOURCE, NAME, NAME, REFILL_SECONDS));
    assertThat(bind(BOB, "secret")).isEqualTo(ResultCode.BUSY);
    take(new GuessingLimits(SOURCE, NAME + 1, NAME, 2 * REFILL_SECONDS));
    guess(BOB, NAME + 1);
    assertThat(bind(BOB, "secret")).isEqualTo(ResultCode.BUSY);
  }

  private ResultCode bindAfterWaiting(int seconds) {
    RecordingSink sink = new RecordingSink(100);
    Request.Bind bind = new Request.Bind(1, 3, ANN, null, bytes("secret"), List.of());
    Operation operation = directory.operation(bind, sink);
    SliceBudget budget = new SliceBudget(1000, Long.MAX_VALUE / 4);
    assertThat(operation.run(budget)).isEqualTo(Task.Outcome.YIELDED);
    later(seconds);
    assertThat(operation.run(budget)).isEqualTo(Task.Outcome.DONE);
    return sink.code();
  }

  @Test
  void shouldNotHashPasswordsThatHaveWaitedTooLong() {
    assertThat(bindAfterWaiting(11)).isEqualTo(ResultCode.BUSY);
    assertThat(bindAfterWaiting(10)).isEqualTo(ResultCode.SUCCESS);
    directory.limits =
        TestLimits.with(
            ServerLimits.DEFAULT, new ServerLimits.SessionLimits(32, 64, 10, 0, 16_384));
    directory.operations = null;
    assertThat(bindAfterWaiting(1000)).isEqualTo(ResultCode.SUCCESS);
  }

  /** A client that is gone has learned nothing, and one that is slow is no guesser. */
  @Test
  void shouldNotCountWhatClientsGiveUp() {
    for (int i = 0; i < 2 * NAME; i++) {
      RecordingSink sink = new RecordingSink(100);
      Request.Bind bind = new Request.Bind(1, 3, ANN, null, bytes("wrong"), List.of());
      Operation operation = directory.operation(bind, sink);
      SliceBudget budget = new SliceBudget(1000, Long.MAX_VALUE / 4);
      assertThat(operation.run(budget)).isEqualTo(Task.Outcome.YIELDED);
      operation.abandon();
      assertThat(operation.run(budget)).isEqualTo(Task.Outcome.DONE);
    }
    assertThat(bind(ANN, "secret")).isEqualTo(ResultCode.SUCCESS);
  }
}
