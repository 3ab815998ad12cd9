package org.nyala.core.operation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.ANN;
import static org.nyala.core.operation.UpdateFixture.PEOPLE;
import static org.nyala.core.operation.UpdateFixture.TOP;
import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.UpdateFixture.modify;
import static org.nyala.core.session.OperationFixture.entry;
import static org.nyala.core.session.OperationFixture.search;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.access.PolicySettings;
import org.nyala.core.access.RulesText;
import org.nyala.core.access.enforce.RulesService;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.control.ControlType;
import org.nyala.core.directory.RootAccounts;
import org.nyala.core.entry.Entry;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.session.OperationFixture;

/** Tests that former passwords are as secret as the present one. */
class SecretHistoryTest {
  private static final String BOB = "uid=bob," + PEOPLE;
  private static final String FORMER = "formerly";
  private static final String VALUE = "20260101000000Z#1.3.6.1.4.1.1466.115.121.1.40#8#" + FORMER;

  /** The greatest rights that rules give anybody but root. */
  private static final String RULES =
      "to all\n  users may disclose, authenticate, compare, search, read, write, manage\n";

  private final UpdateFixture directory = new UpdateFixture(entries());

  SecretHistoryTest() {
    directory.rights = new RulesService();
  }

  private static List<Entry> entries() {
    List<Entry> entries = new ArrayList<>();
    for (Entry each : UpdateFixture.defaults()) {
      if (!each.dn().equals(UpdateFixture.dn(ANN))) {
        entries.add(each);
      }
    }
    entries.add(person(ANN, "ann"));
    entries.add(person(BOB, "bob"));
    return entries;
  }

  private static Entry person(String name, String uid) {
    return entry(
        name,
        "objectClass",
        "inetOrgPerson",
        "uid",
        uid,
        "cn",
        uid,
        "sn",
        "Smith",
        "userPassword",
        "present",
        "pwdHistory",
        VALUE);
  }

  @BeforeEach
  void give() {
    directory.access =
        new AccessPolicy(false)
            .withPasswordPolicy(PolicySettings.NONE.by(UpdateFixture.dn("cn=policy," + TOP)));
  }

  @AfterEach
  void close() {
    directory.close();
  }

  private void rules(@Nullable String rules) {
    directory.access = directory.access.withRules(rules == null ? null : new RulesText("r", rules));
    directory.operations().reconfigure(directory.access, directory.limits, RootAccounts.NONE);
  }

  private void asUser() {
    directory.identity = OperationFixture.USER;
  }

  private static FilterNode equality() {
    return new FilterNode.Equality("pwdHistory", VALUE.getBytes(UTF_8));
  }

  /** Filters that are true for entries with former passwords, or for those without. */
  static Stream<FilterNode> filters() {
    FilterNode present = new FilterNode.Present("pwdHistory");
    return Stream.of(
            present,
            new FilterNode.Present("1.3.6.1.4.1.42.2.27.8.1.20"),
            equality(),
            new FilterNode.GreaterOrEqual("pwdHistory", VALUE.getBytes(UTF_8)),
            new FilterNode.LessOrEqual("pwdHistory", VALUE.getBytes(UTF_8)),
            new FilterNode.Approximate("pwdHistory", VALUE.getBytes(UTF_8)),
            new FilterNode.And(List.of(OperationFixture.ALL, present)))
        .flatMap(each -> Stream.of(each, new FilterNode.Not(each)));
  }

  @ParameterizedTest
  @MethodSource("filters")
  void shouldNotBeSearched(FilterNode filter) {
    for (String rules : new String[] {null, RULES}) {
      rules(rules);
      for (BoundIdentity identity : List.of(OperationFixture.USER, OperationFixture.ROOT)) {
        directory.identity = identity;
        for (String base : List.of(ANN, BOB)) {
          assertThat(directory.run(search(base, Scope.BASE, filter)).dns).isEmpty();
        }
        assertThat(directory.run(search(PEOPLE, Scope.SUBTREE, filter)).dns).isEmpty();
      }
    }
  }

  @Test
  void shouldNotBeRead() {
    for (String rules : new String[] {null, RULES}) {
      rules(rules);
      for (BoundIdentity identity : List.of(OperationFixture.USER, OperationFixture.ROOT)) {
        directory.identity = identity;
        for (String base : List.of(ANN, BOB)) {
          for (String asked : List.of("*", "+", "pwdHistory", "1.3.6.1.4.1.42.2.27.8.1.20")) {
            RecordingSink sink =
                directory.run(search(base, Scope.BASE, OperationFixture.ALL, asked));
            assertThat(sink.dns).hasSize(1);
            assertThat(sink.attributes.getFirst()).doesNotContainKey("pwdHistory");
            assertThat(sink.attributes.toString()).doesNotContain(FORMER, "present");
          }
        }
      }
    }
  }

  @Test
  void shouldNotBeCompared() {
    for (String rules : new String[] {null, RULES}) {
      rules(rules);
      for (String value : List.of(VALUE, "other")) {
        asUser();
        assertThat(compare(ANN, value)).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
        assertThat(compare(BOB, value)).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
        directory.identity = OperationFixture.ROOT;
        assertThat(compare(ANN, value)).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
      }
    }
  }

  private ResultCode compare(String name, String value) {
    return directory.code(
        new Request.Compare(1, name, "pwdHistory", value.getBytes(UTF_8), List.of()));
  }

  /** Not even to root on the machine: an update is asked for by many others in its name. */
  @Test
  void shouldNotBeReadWithUpdates() {
    for (boolean isOnThisMachine : new boolean[] {false, true}) {
      directory.onThisMachine = isOnThisMachine;
      rules(null);
      directory.identity = OperationFixture.ROOT;
      assertSecret(modify(reads(), ANN, change(2, "description", "x")));
      assertSecret(modify(reads(), ANN, change(2, "userPassword", "{SSHA}AAAAAAAAAAAAAAAA")));
      rules(RULES);
      asUser();
      assertSecret(modify(reads(), BOB, change(2, "description", "x")));
      assertSecret(modify(reads(), BOB, change(2, "description", "y")));
    }
  }

  private static List<RequestControl> reads() {
    byte[] names =
        new BerWriter()
            .sequence(new BerWriter().text("*").text("+").text("pwdHistory").text("userPassword"))
            .toByteArray();
    return List.of(
        new RequestControl(ControlType.PRE_READ.oid(), true, names),
        new RequestControl(ControlType.POST_READ.oid(), true, names));
  }

  private void assertSecret(Request request) {
    RecordingSink sink = directory.run(request);
    assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
    for (ControlType type : List.of(ControlType.PRE_READ, ControlType.POST_READ)) {
      String read =
          new String(sink.controlValues(type.oid()).getFirst(), StandardCharsets.ISO_8859_1);
      assertThat(read).contains("Smith");
      assertThat(read).doesNotContain("pwdHistory", FORMER, "userPassword", "present");
    }
  }

  /** An assertion about them is neither true nor false. */
  @Test
  void shouldNotBeAsserted() {
    rules(RULES);
    asUser();
    byte[] present = new BerWriter().octets(0x87, "pwdHistory".getBytes(UTF_8)).toByteArray();
    byte[] absent = new BerWriter().constructed(0xa2, raw(present)).toByteArray();
    for (byte[] filter : List.of(present, absent)) {
      RequestControl asserts = new RequestControl(ControlType.ASSERTION.oid(), true, filter);
      assertThat(directory.code(modify(List.of(asserts), BOB, change(2, "description", "x"))))
          .isEqualTo(ResultCode.ASSERTION_FAILED);
    }
  }

  private static BerWriter raw(byte[] inner) {
    return new BerWriter().octets(0x87, java.util.Arrays.copyOfRange(inner, 2, inner.length));
  }

  /** The server alone writes it, whoever asks. */
  @Test
  void shouldNotBeWritten() {
    rules(RULES);
    for (int kind = 0; kind < 3; kind++) {
      for (BoundIdentity identity : List.of(OperationFixture.USER, OperationFixture.ROOT)) {
        directory.identity = identity;
        assertThat(directory.code(modify(ANN, change(kind, "pwdHistory", VALUE))))
            .isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
      }
    }
  }

  @Test
  void shouldBeReadByRootOnTheMachine() {
    directory.onThisMachine = true;
    rules(null);
    directory.identity = OperationFixture.ROOT;
    RecordingSink sink = directory.run(search(ANN, Scope.BASE, OperationFixture.ALL, "pwdHistory"));
    assertThat(sink.attributes.getFirst().get("pwdHistory")).containsExactly(VALUE);
    assertThat(compare(ANN, VALUE)).isEqualTo(ResultCode.COMPARE_TRUE);
    asUser();
    sink = directory.run(search(ANN, Scope.BASE, OperationFixture.ALL, "pwdHistory", "+"));
    assertThat(sink.attributes.getFirst()).doesNotContainKey("pwdHistory");
  }
}
