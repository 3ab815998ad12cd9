package org.nyala.core.operation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.ANN;
import static org.nyala.core.operation.UpdateFixture.PEOPLE;
import static org.nyala.core.operation.UpdateFixture.TOP;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nyala.core.Seeds;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.control.ControlType;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Lane;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.filter.FilterWriter;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.limits.ServerLimits.RequestLimits;
import org.nyala.core.limits.TestLimits;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.LiveDirectory.Client;
import org.nyala.core.operation.LiveDirectory.Event;
import org.nyala.core.operation.extended.PasswordModifyRequest;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationFixture;

class PasswordModifyTest {
  private static final String OID = "1.3.6.1.4.1.4203.1.11.1";

  private final LiveDirectory directory = new LiveDirectory("striped", ServerLimits.DEFAULT);
  private final Client root = directory.root();

  @AfterEach
  void close() {
    directory.close();
  }

  @BeforeEach
  void give() {
    store("secret");
  }

  private void store(String password) {
    Event stored =
        root.ask(
            new Request.Modify(
                root.nextId(),
                ANN,
                List.of(UpdateFixture.change(2, "userPassword", password)),
                List.of()));
    assertThat(stored.result().code()).isEqualTo(ResultCode.SUCCESS);
  }

  private static byte[] value(@Nullable String user, @Nullable String old, @Nullable String fresh) {
    BerWriter content = new BerWriter();
    append(content, 0x80, user);
    append(content, 0x81, old);
    append(content, 0x82, fresh);
    return new BerWriter().sequence(content).toByteArray();
  }

  private static void append(BerWriter content, int tag, @Nullable String text) {
    if (text != null) {
      content.octets(tag, text.getBytes(UTF_8));
    }
  }

  private static ResultCode change(
      Client client, @Nullable String user, @Nullable String old, @Nullable String fresh) {
    return client.extended(OID, value(user, old, fresh)).result().code();
  }

  private Client ann(String password) {
    Client client = directory.open();
    client.bind(ANN, password);
    return client;
  }

  private String stored(String attribute) {
    for (Entry entry : directory.store.entries()) {
      if (entry.dn().equals(UpdateFixture.dn(ANN))) {
        List<byte[]> values =
            entry.values(AttributeDescription.parse(OperationFixture.SCHEMA, attribute));
        assertThat(values).hasSize(1);
        return new String(values.getFirst(), UTF_8);
      }
    }
    throw new AssertionError(ANN);
  }

  @Test
  void shouldLetUsersChangeTheirOwnPasswords() {
    Client client = ann("secret");
    assertThat(change(client, null, "secret", "better")).isEqualTo(ResultCode.SUCCESS);
    assertThat(stored("userPassword")).startsWith("{SSHA512}");
    assertThat(stored("modifiersName")).isEqualTo(ANN);
    assertThat(change(ann("better"), "dn:" + ANN, null, "best")).isEqualTo(ResultCode.SUCCESS);
    assertThat(ann("best").identity().dn()).isEqualTo(UpdateFixture.dn(ANN));
  }

  private static ResultCode modify(Client client, String name, Request.Change... changes) {
    return client
        .ask(new Request.Modify(client.nextId(), name, List.of(changes), List.of()))
        .result()
        .code();
  }

  @Test
  void shouldLetUsersReplaceTheirOwnPasswordsByAPlainModify() {
    Client client = ann("secret");
    assertThat(modify(client, ANN, UpdateFixture.change(2, "userPASSWORD", "better")))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(stored("userPassword")).startsWith("{SSHA512}");
    assertThat(ann("better").identity().dn()).isEqualTo(UpdateFixture.dn(ANN));
    assertThat(modify(client, ANN, UpdateFixture.change(2, "2.5.4.35", "{an odd}one")))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(ann("{an odd}one").identity().dn()).isEqualTo(UpdateFixture.dn(ANN));
  }

  @Test
  void shouldLetNoUserChooseWhatAHashOfTheOwnPasswordIs() {
    Client client = ann("secret");
    String before = stored("userPassword");
    for (String hash :
        List.of(
            before.startsWith("{") ? before : "{SSHA}AAAA",
            "{CLEARTEXT}open",
            "{odd}one",
            "{MD5}CY9rzUYh03PK3k6DJie09g==",
            "{crypt}$6$rounds=1000000$salt$hash",
            "{CRYPT}$6$rounds=999999999$salt$hash")) {
      assertThat(modify(client, ANN, UpdateFixture.change(2, "userPassword", hash)))
          .isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
    }
    assertThat(stored("userPassword")).isEqualTo(before);
  }

  @Test
  void shouldLetUsersChangeNothingElseByAModify() {
    Client client = ann("secret");
    for (Request.Change change :
        List.of(
            UpdateFixture.change(2, "cn", "x"),
            UpdateFixture.change(0, "userPassword", "x"),
            UpdateFixture.change(1, "userPassword"),
            UpdateFixture.change(2, "userPassword", "x", "y"),
            UpdateFixture.change(2, "userPassword"))) {
      assertThat(modify(client, ANN, change)).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    }
    Request.Change replace = UpdateFixture.change(2, "userPassword", "x");
    assertThat(modify(client, ANN, replace, UpdateFixture.change(2, "cn", "x")))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(modify(client, PEOPLE, replace)).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(modify(directory.open(), ANN, replace)).isEqualTo(ResultCode.STRONGER_AUTH_REQUIRED);
    assertThat(modify(client, ANN, UpdateFixture.change(2, "userPassword", "")))
        .isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(stored("userPassword")).isEqualTo("secret");
  }

  @Test
  void shouldFindAPasswordWhereNoneIsGiven() throws Exception {
    Event changed = ann("secret").extended(OID, null);
    assertThat(changed.result().code()).isEqualTo(ResultCode.SUCCESS);
    String generated =
        new String(BerReader.trusted(changed.value()).sequence().octets(0x80), UTF_8);
    assertThat(generated).hasSize(16).isAlphanumeric();
    assertThat(ann(generated).identity().isAnonymous()).isFalse();
    Event again = ann(generated).extended(OID, null);
    assertThat(again.value()).isNotEqualTo(changed.value());
  }

  @Test
  void shouldCheckTheOldPasswordWhereItIsGiven() {
    Client client = ann("secret");
    assertThat(change(client, null, "wrong", "better")).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(change(root, ANN, "wrong", "better")).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(stored("userPassword")).isEqualTo("secret");
    // A slow hash is checked in a separate lane.
    store("{CRYPT}$6$abcdefgh$");
    assertThat(change(client, null, "secret", "better")).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(change(root, PEOPLE, "none", "better")).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
  }

  @Test
  void shouldSayWhoMayNot() {
    assertThat(change(directory.open(), ANN, "secret", "x"))
        .isEqualTo(ResultCode.STRONGER_AUTH_REQUIRED);
    assertThat(change(ann("secret"), PEOPLE, null, "x"))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(change(root, null, null, "x")).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(change(root, "uid=nobody," + TOP, null, "x")).isEqualTo(ResultCode.NO_SUCH_OBJECT);
    assertThat(change(root, "no name", null, "x")).isEqualTo(ResultCode.INVALID_DN_SYNTAX);
    assertThat(change(root, "u:ann", null, "x")).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(change(root, "ou=x," + UpdateFixture.AWAY, null, "x"))
        .isEqualTo(ResultCode.REFERRAL);
    assertThat(change(root, ANN, "", "x")).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(change(root, ANN, null, "")).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
  }

  @Test
  void shouldKeepToTheSchema() {
    Event added =
        root.ask(
            new Request.Add(
                root.nextId(),
                "cn=device," + TOP,
                List.of(
                    UpdateFixture.values("objectClass", "device"),
                    UpdateFixture.values("cn", "device")),
                List.of()));
    assertThat(added.result().code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(change(root, "cn=device," + TOP, null, "x"))
        .isEqualTo(ResultCode.OBJECT_CLASS_VIOLATION);
  }

  @Test
  void shouldRefuseValuesThatAreDamaged() {
    byte[] valid = value("uid=a", "b", "c");
    for (int cut = 0; cut < valid.length; cut++) {
      assertThat(root.extended(OID, Arrays.copyOf(valid, cut)).result().code())
          .isEqualTo(ResultCode.PROTOCOL_ERROR);
    }
    long seed = Seeds.seed();
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      byte[] damaged = valid.clone();
      damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
      try {
        assertThat(PasswordModifyRequest.read(BerReader.trusted(damaged)).toString())
            .as("seed %d", seed)
            .doesNotContain("oldPassword");
      } catch (LdapOperationException e) {
        assertThat(e.result().code())
            .as("seed %d", seed)
            .isIn(ResultCode.PROTOCOL_ERROR, ResultCode.UNWILLING_TO_PERFORM);
      }
    }
  }

  @Test
  void shouldRefusePasswordsThatTheSchemeDoesNotTake() {
    assertThat(changed(PasswordScheme.CRYPT, "x".repeat(513)))
        .isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
    assertThat(changed(PasswordScheme.BCRYPT, "x".repeat(73)))
        .isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
    assertThat(changed(PasswordScheme.BCRYPT, "x".repeat(72))).isEqualTo(ResultCode.SUCCESS);
  }

  /** A source of salts that counts them: they are drawn only where passwords are hashed. */
  private static final class CountedSalts implements RandomGenerator {
    int drawn;

    @Override
    public long nextLong() {
      return ++drawn;
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SSHA512", "CRYPT", "BCRYPT"})
  void shouldHashNoOwnPasswordThatIsRefusedAnyway(PasswordScheme scheme) {
    CountedSalts salts = new CountedSalts();
    try (UpdateFixture updates = new UpdateFixture()) {
      updates.passwordScheme = scheme;
      updates.random = salts;
      updates.identity = new BoundIdentity(UpdateFixture.dn(ANN), false);
      updates.operations();
      int before = salts.drawn;
      byte[] isBob = FilterWriter.encode(new FilterNode.Equality("uid", "bob".getBytes(UTF_8)));
      assertThat(ownPassword(updates, control(ControlType.ASSERTION, isBob)))
          .isEqualTo(ResultCode.ASSERTION_FAILED);
      assertThat(ownPassword(updates, control(ControlType.ASSERTION, new byte[] {1})))
          .isEqualTo(ResultCode.PROTOCOL_ERROR);
      assertThat(ownPassword(updates, control(ControlType.PRE_READ, new byte[] {1})))
          .isEqualTo(ResultCode.PROTOCOL_ERROR);
      assertThat(ownPassword(updates, control(ControlType.RELAX_RULES, null)))
          .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
      assertThat(salts.drawn).isEqualTo(before);
      byte[] isAnn = FilterWriter.encode(new FilterNode.Equality("uid", "ann".getBytes(UTF_8)));
      assertThat(ownPassword(updates, control(ControlType.ASSERTION, isAnn)))
          .isEqualTo(ResultCode.SUCCESS);
      assertThat(salts.drawn).isGreaterThan(before);
    }
  }

  /** The number of clock readings, each of which advances the clock by a microsecond. */
  private final AtomicLong looks = new AtomicLong();

  private static RequestControl heavyAssertion(int items) {
    List<FilterNode> nodes = new ArrayList<>();
    for (int i = 0; i < items; i++) {
      nodes.add(new FilterNode.Equality("cn", ("nobody " + i).getBytes(UTF_8)));
    }
    return control(ControlType.ASSERTION, FilterWriter.encode(new FilterNode.Or(nodes)));
  }

  @ParameterizedTest
  @EnumSource(names = {"SSHA512", "CRYPT"})
  void shouldCheckAnOwnPasswordsAssertionInSlices(PasswordScheme scheme) {
    CountedSalts salts = new CountedSalts();
    try (UpdateFixture updates = new UpdateFixture()) {
      updates.passwordScheme = scheme;
      updates.random = salts;
      updates.limits =
          TestLimits.with(
              ServerLimits.DEFAULT, TestLimits.filters(RequestLimits.DEFAULT, 64, 100_000));
      updates.nanoClock = () -> TimeUnit.MICROSECONDS.toNanos(looks.incrementAndGet());
      updates.identity = new BoundIdentity(UpdateFixture.dn(ANN), false);
      updates.operations();
      int before = salts.drawn;
      RecordingSink sink = new RecordingSink(100);
      Operation operation =
          updates.operation(
              UpdateFixture.modify(
                  List.of(heavyAssertion(12_000)),
                  ANN,
                  UpdateFixture.change(2, "userPassword", "better")),
              sink);
      int slices = 0;
      Outcome outcome;
      do {
        long from = looks.get();
        outcome = operation.run(new SliceBudget(1000, TimeUnit.MICROSECONDS.toNanos(20)));
        assertThat(looks.get() - from).isLessThan(40);
        assertThat(operation.lane()).isEqualTo(Lane.READ);
        slices++;
      } while (outcome == Outcome.YIELDED);
      assertThat(outcome).isEqualTo(Outcome.DONE);
      assertThat(slices).isGreaterThan(5);
      assertThat(sink.code()).isEqualTo(ResultCode.ASSERTION_FAILED);
      assertThat(salts.drawn).isEqualTo(before);
    }
  }

  @Test
  void shouldHashNoOwnPasswordOfAnEntryThatIsGone() {
    CountedSalts salts = new CountedSalts();
    try (UpdateFixture updates = new UpdateFixture()) {
      updates.random = salts;
      assertThat(updates.code(UpdateFixture.delete(ANN))).isEqualTo(ResultCode.SUCCESS);
      updates.identity = new BoundIdentity(UpdateFixture.dn(ANN), false);
      int before = salts.drawn;
      assertThat(ownPassword(updates)).isEqualTo(ResultCode.NO_SUCH_OBJECT);
      assertThat(salts.drawn).isEqualTo(before);
    }
  }

  private static RequestControl control(ControlType type, byte @Nullable [] value) {
    return new RequestControl(type.oid(), true, value);
  }

  private static ResultCode ownPassword(UpdateFixture updates, RequestControl... controls) {
    Request.Change change = UpdateFixture.change(2, "userPassword", "better");
    return updates.code(UpdateFixture.modify(List.of(controls), ANN, change));
  }

  private static ResultCode changed(PasswordScheme scheme, String password) {
    try (UpdateFixture updates = new UpdateFixture()) {
      updates.passwordScheme = scheme;
      byte[] value = value("dn:" + ANN, null, password);
      return updates.code(new Request.Extended(1, OID, value, List.of()));
    }
  }
}
