package org.nyala.core.operation;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.core.operation.UpdateFixture.ANN;
import static org.nyala.core.operation.UpdateFixture.LEAF;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.limits.TestLimits;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.LiveDirectory.Client;
import org.nyala.core.operation.LiveDirectory.Event;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.sasl.SaslSettings;
import org.nyala.core.session.OperationFixture;

/**
 * Tests passwords that are stored anew after a bind, with a writer that waits where the test is.
 */
class PasswordUpgradeTest {
  private static final int REPLACE = 2;
  private static final int ALL = 1_000_000;
  private static final String SECRET = "secret";

  private final GatedBackend[] gate = new GatedBackend[1];
  private LiveDirectory directory;
  private Client root;

  @BeforeEach
  void serve() {
    serve("striped", ServerLimits.DEFAULT);
  }

  private void serve(String strategy, ServerLimits limits) {
    directory =
        new LiveDirectory(
            strategy,
            limits,
            new AccessPolicy(true).withSasl(SaslSettings.DEFAULT),
            store -> {
              gate[0] = new GatedBackend(store);
              return gate[0];
            });
    root = directory.root();
    gate[0].commits.release(ALL);
    store(hash(PasswordScheme.SSHA, SECRET));
  }

  @AfterEach
  void close() {
    gate[0].commits.release(ALL);
    directory.close();
  }

  private static String hash(PasswordScheme scheme, String password) {
    return new String(
        PasswordHash.create(scheme, password.getBytes(UTF_8), new Random(1)), US_ASCII);
  }

  private Request.Modify replace(String name, String attribute, String... values) {
    return new Request.Modify(
        root.nextId(), name, List.of(UpdateFixture.change(REPLACE, attribute, values)), List.of());
  }

  private void store(String... passwords) {
    assertThat(root.ask(replace(ANN, "userPassword", passwords)).result().code())
        .isEqualTo(ResultCode.SUCCESS);
  }

  private List<String> stored(String attribute) {
    for (Entry entry : directory.store.entries()) {
      if (entry.dn().equals(UpdateFixture.dn(ANN))) {
        List<byte[]> values =
            entry.values(AttributeDescription.parse(OperationFixture.SCHEMA, attribute));
        return values.stream().map(value -> new String(value, UTF_8)).toList();
      }
    }
    throw new AssertionError(ANN);
  }

  private Client bound() {
    Client client = directory.open();
    client.bind(ANN, SECRET);
    return client;
  }

  /** Has the writer wait in a commit, so that further updates queue up. */
  private int holdWriter() {
    gate[0].commits.drainPermits();
    int blocking = root.send(replace(LEAF, "description", "held"));
    eventually("the writer waits", () -> gate[0].commits.hasQueuedThreads());
    return blocking;
  }

  private void awaitQueued(int count) {
    eventually(count + " updates wait", () -> directory.operations.queuedUpdates() == count);
  }

  /** Waits until all updates before this are done. */
  private void release() {
    gate[0].commits.release(ALL);
    assertThat(root.ask(replace(LEAF, "description", "after")).result().code())
        .isEqualTo(ResultCode.SUCCESS);
  }

  private void awaitUpgrade() {
    eventually(
        "the password is stored anew",
        () -> stored("userPassword").toString().contains("{SSHA512"));
  }

  @Test
  void shouldStoreWeakPasswordsAnew() {
    List<String> modified = stored("modifyTimestamp");
    List<String> modifier = stored("modifiersName");
    List<String> before = stored("entryCSN");
    bound();
    awaitUpgrade();
    assertThat(stored("userPassword")).hasSize(1);
    assertThat(stored("modifyTimestamp")).isEqualTo(modified);
    assertThat(stored("modifiersName")).isEqualTo(modifier);
    List<String> csn = stored("entryCSN");
    assertThat(csn.getFirst()).isGreaterThan(before.getFirst());
    bound();
    release();
    assertThat(stored("entryCSN")).isEqualTo(csn);
  }

  @ParameterizedTest
  @MethodSource("strategies")
  void shouldStoreAnewUnderEveryStrategy(String strategy) {
    close();
    serve(strategy, ServerLimits.DEFAULT);
    bound();
    awaitUpgrade();
    bound();
  }

  static List<String> strategies() {
    return List.copyOf(DispatchStrategies.OFFERED);
  }

  @Test
  void shouldStorePasswordsOfPlainAnew() {
    Client client = directory.open();
    Event bound =
        client.ask(
            new Request.Bind(
                client.nextId(),
                3,
                "",
                "PLAIN",
                ("\0dn:" + ANN + '\0' + SECRET).getBytes(UTF_8),
                List.of()));
    assertThat(bound.result().code()).isEqualTo(ResultCode.SUCCESS);
    awaitUpgrade();
    bound();
  }

  @Test
  void shouldReplaceTheValueThatMatchedAlone() {
    String other = hash(PasswordScheme.SSHA, "other");
    String keys = hash(PasswordScheme.SCRAM_SHA256, SECRET);
    store(other, hash(PasswordScheme.SSHA, SECRET), keys);
    bound();
    awaitUpgrade();
    assertThat(stored("userPassword")).hasSize(3).contains(other, keys);
  }

  @ParameterizedTest
  @ValueSource(strings = {"wrong", "Secret"})
  void shouldStoreNothingAfterWrongPasswords(String wrong) {
    List<String> before = stored("userPassword");
    Client client = directory.open();
    Event refused =
        client.ask(
            new Request.Bind(client.nextId(), 3, ANN, null, wrong.getBytes(UTF_8), List.of()));
    assertThat(refused.result().code()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    release();
    assertThat(stored("userPassword")).isEqualTo(before);
  }

  @Test
  void shouldLetAnEarlierChangeOfThePasswordWin() {
    holdWriter();
    int change = root.send(replace(ANN, "userPassword", "changed"));
    awaitQueued(1);
    bound();
    awaitQueued(2);
    release();
    assertThat(root.result(change).result().code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(stored("userPassword")).containsExactly("changed");
  }

  @Test
  void shouldLetALaterChangeOfThePasswordWin() {
    holdWriter();
    bound();
    awaitQueued(1);
    int change = root.send(replace(ANN, "userPassword", "changed"));
    release();
    assertThat(root.result(change).result().code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(stored("userPassword")).containsExactly("changed");
  }

  @Test
  void shouldNotDelayAnswers() {
    int blocking = holdWriter();
    bound();
    awaitQueued(1);
    assertThat(root.find(blocking)).isNull();
    bound();
    bound();
    // One of each entry at a time.
    assertThat(directory.operations.queuedUpdates()).isEqualTo(1);
    release();
    awaitUpgrade();
    assertThat(stored("userPassword")).hasSize(1);
  }

  /** The bind before it has the old password stored anew, between its check and its change. */
  @Test
  void shouldNotBeInTheWayOfPasswordModify() {
    holdWriter();
    Client client = bound();
    awaitQueued(1);
    byte[] value =
        new BerWriter()
            .sequence(
                new BerWriter()
                    .octets(0x81, SECRET.getBytes(UTF_8))
                    .octets(0x82, "better".getBytes(UTF_8)))
            .toByteArray();
    int change =
        client.send(
            new Request.Extended(client.nextId(), "1.3.6.1.4.1.4203.1.11.1", value, List.of()));
    awaitQueued(2);
    gate[0].commits.release(ALL);
    assertThat(client.result(change).result().code()).isEqualTo(ResultCode.SUCCESS);
    directory.open().bind(ANN, "better");
  }

  /** A password that somebody else changes for good meanwhile is still refused. */
  @Test
  void shouldCheckTheOldPasswordAgainOnce() {
    Client client = bound();
    awaitUpgrade();
    holdWriter();
    byte[] value =
        new BerWriter()
            .sequence(
                new BerWriter()
                    .octets(0x81, SECRET.getBytes(UTF_8))
                    .octets(0x82, "better".getBytes(UTF_8)))
            .toByteArray();
    int other = root.send(replace(ANN, "userPassword", "changed"));
    awaitQueued(1);
    int change =
        client.send(
            new Request.Extended(client.nextId(), "1.3.6.1.4.1.4203.1.11.1", value, List.of()));
    awaitQueued(2);
    gate[0].commits.release(ALL);
    assertThat(root.result(other).result().code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(client.result(change).result().code()).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(stored("userPassword")).containsExactly("changed");
  }

  @Test
  void shouldNotAddToTheQueueOfABusyWriter() {
    close();
    serve(
        "striped",
        TestLimits.with(
            ServerLimits.DEFAULT,
            new ServerLimits.UpdateLimits(
                4, 1, 1000, 1000, 1000, 3_000_000, ServerLimits.EntrySizes.DEFAULT)));
    holdWriter();
    List<Integer> waiting = new ArrayList<>();
    for (int i = 1; i <= 3; i++) {
      waiting.add(root.send(replace(LEAF, "description", "waits " + i)));
      awaitQueued(i);
    }
    bound();
    assertThat(directory.operations.queuedUpdates()).isEqualTo(3);
    gate[0].commits.release(ALL);
    waiting.forEach(
        id -> assertThat(root.result(id).result().code()).isEqualTo(ResultCode.SUCCESS));
    release();
    assertThat(stored("userPassword").getFirst()).startsWith("{SSHA}");
    // Left for the next bind.
    bound();
    awaitUpgrade();
  }
}
