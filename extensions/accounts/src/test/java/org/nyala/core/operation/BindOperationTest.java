package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.session.OperationFixture.bytes;
import static org.nyala.core.session.OperationFixture.entry;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.access.MinimumStrength;
import org.nyala.core.access.RootAccount;
import org.nyala.core.backend.RandomDirectory;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.Entry;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationFixture;

final class BindOperationTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String ANN = "uid=ann,dc=example,dc=com";
  private static final String BOB = "uid=bob,dc=example,dc=com";
  private static final String SLOW = "uid=slow,dc=example,dc=com";

  private final OperationFixture directory = new OperationFixture().store(entries(), false);

  private static List<Entry> entries() {
    return List.of(
        entry(TOP, "objectClass", "domain", "dc", "example"),
        entry(
            ANN,
            "objectClass",
            "account",
            "uid",
            "ann",
            "userPassword",
            stored(PasswordScheme.SSHA512),
            "userPassword",
            "second"),
        entry(BOB, "objectClass", "account", "uid", "bob"),
        entry(
            SLOW,
            "objectClass",
            "account",
            "uid",
            "slow",
            "userPassword",
            stored(PasswordScheme.CRYPT)),
        entry("ou=away," + TOP, "objectClass", "referral", "ref", "ldap://away.example/"));
  }

  private static String stored(PasswordScheme scheme) {
    return new String(
        PasswordHash.create(scheme, bytes("secret"), new Random(1)), StandardCharsets.US_ASCII);
  }

  private RecordingSink bind(String name, String password) {
    return directory.run(new Request.Bind(1, 3, name, null, bytes(password), List.of()));
  }

  @Test
  void shouldBindWithAnyOfTheEntrysPasswords() {
    RecordingSink sink = bind("UID=Ann, dc=example, dc=com", "secret");
    assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(sink.boundResult).isTrue();
    assertThat(directory.established.dn())
        .isEqualTo(RandomDirectory.dn(OperationFixture.SCHEMA, ANN));
    assertThat(directory.established.isRoot()).isFalse();
    assertThat(bind(ANN, "second").code()).isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldNotLookAtPasswordsThatHaveCrossedANetwork() {
    directory.access = new AccessPolicy(false).withMinimumStrength(MinimumStrength.DEFAULT);
    for (String name : List.of(ANN, BOB, "cn=admin,dc=example,dc=com", "uid=nobody," + TOP, "")) {
      for (String password : List.of("secret", "wrong")) {
        assertThat(bind(name, password).code()).isEqualTo(ResultCode.CONFIDENTIALITY_REQUIRED);
      }
    }
    assertThat(directory.established).isNull();
    assertThat(bind("", "").code()).isEqualTo(ResultCode.SUCCESS);
    directory.onThisMachine = true;
    assertThat(bind(ANN, "secret").code()).isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldBindTheRootAccountWithoutAnEntry() {
    assertThat(bind("cn=admin,dc=example,dc=com", "rootpw").code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.established.isRoot()).isTrue();
    assertThat(bind("cn=admin,dc=example,dc=com", "secret").code())
        .isEqualTo(ResultCode.INVALID_CREDENTIALS);
  }

  @Test
  void shouldAnswerTheSameWhateverIsWrong() {
    LdapResult wrong = LdapResult.of(ResultCode.INVALID_CREDENTIALS);
    assertThat(bind(ANN, "Secret").results).containsExactly(wrong);
    assertThat(bind(BOB, "secret").results).containsExactly(wrong);
    assertThat(bind("uid=nobody," + TOP, "secret").results).containsExactly(wrong);
    assertThat(bind("uid=nobody,dc=org", "secret").results).containsExactly(wrong);
    assertThat(bind("", "secret").results).containsExactly(wrong);
    assertThat(directory.established).isNull();
  }

  @Test
  void shouldStayAnonymousWithoutNameAndPassword() {
    assertThat(bind("", "").code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.established).isNull();
    // Client libraries compare this text, which is slapd's.
    assertThat(bind(ANN, "").results)
        .containsExactly(
            LdapResult.of(
                ResultCode.UNWILLING_TO_PERFORM,
                "unauthenticated bind (DN with no password) disallowed"));
  }

  @Test
  void shouldMoveSlowPasswordsToTheirLane() {
    bind(ANN, "secret");
    assertThat(directory.lastLane).isEqualTo(Task.Lane.READ);
    assertThat(bind(SLOW, "secret").code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.lastLane).isEqualTo(Task.Lane.HASH);
    assertThat(directory.slices).isEqualTo(2);
    assertThat(bind(SLOW, "wrong").code()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
  }

  @Test
  void shouldTakeAsLongForNobodyAsForSomebody() {
    bind(SLOW, "secret");
    bind("uid=nobody," + TOP, "secret");
    assertThat(directory.lastLane).isEqualTo(Task.Lane.HASH);
  }

  /**
   * Names that do not exist must cost as much as names that do, with the same distribution and the
   * same cost each time.
   */
  @Test
  void shouldMixDecoysAsPasswordsAreMixed() {
    List<Entry> entries = new ArrayList<>(List.of(entry(TOP, "objectClass", "domain", "dc", "x")));
    String[] stored = {
      stored(PasswordScheme.SSHA), "{CRYPT}$5$rounds=1000$salt$x", "{CRYPT}$1$salt$x"
    };
    for (int i = 0; i < 120; i++) {
      String[] attributes = {
        "objectClass",
        "account",
        "uid",
        "u" + i,
        "userPassword",
        stored[i % 2],
        "userPassword",
        stored[i % 3 == 0 ? i % 2 : 2]
      };
      entries.add(entry("uid=u" + i + "," + TOP, attributes));
    }
    OperationFixture mixed = new OperationFixture().store(entries, false);
    double[] known = costs(mixed, "u");
    assertThat(costs(mixed, "nobody")).usingComparatorWithPrecision(0.2).containsExactly(known);
    for (int i = 0; i < 20; i++) {
      int first = cost(mixed, "nobody" + i);
      assertThat(cost(mixed, "NoBody" + i)).isEqualTo(first);
    }
  }

  /** Returns the distribution of 120 names by their number of slow hashes, none to two. */
  private static double[] costs(OperationFixture directory, String name) {
    double[] parts = new double[3];
    for (int i = 0; i < 120; i++) {
      parts[cost(directory, name + i)] += 1 / 120.0;
    }
    return parts;
  }

  /** Returns the number of slow hashes for a wrong password. */
  private static int cost(OperationFixture directory, String name) {
    Request.Bind bind =
        new Request.Bind(1, 3, "uid=" + name + "," + TOP, null, bytes("wrong"), List.of());
    assertThat(directory.run(bind).code()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    return directory.slices - 1;
  }

  @Test
  void shouldHashNoMoreWhenNobodyWaits() {
    Operation operation =
        directory.operation(
            new Request.Bind(1, 3, SLOW, null, bytes("secret"), List.of()), new RecordingSink(0));
    assertThat(operation.run(new SliceBudget(100, 1_000_000_000))).isEqualTo(Task.Outcome.YIELDED);
    operation.abandon();
    assertThat(operation.run(new SliceBudget(100, 1_000_000_000))).isEqualTo(Task.Outcome.DONE);
    assertThat(operation.established()).isNull();
  }

  @Test
  void shouldNotLookAtPasswordsThatAskForTooMuch() {
    String endless = "{CRYPT}$6$rounds=999999999$salt$x";
    String[] attributes = {"objectClass", "account", "uid", "e", "userPassword", endless};
    OperationFixture excessive =
        new OperationFixture()
            .store(
                List.of(
                    entry(TOP, "objectClass", "domain", "dc", "x"),
                    entry("uid=e," + TOP, attributes)),
                false);
    assertThat(cost(excessive, "e")).isEqualTo(cost(excessive, "nobody"));
  }

  @Test
  void shouldRefuse() {
    // An identity held elsewhere does not exist here (RFC 3296, section 5.6.1).
    LdapResult away = bind("cn=x,ou=away," + TOP, "secret").results.getFirst();
    assertThat(away.code()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    assertThat(away.referrals()).isEmpty();
    assertThat(bind("ann", "secret").code()).isEqualTo(ResultCode.INVALID_DN_SYNTAX);
    Request.Bind old = new Request.Bind(1, 2, ANN, null, bytes("secret"), List.of());
    assertThat(directory.run(old).code()).isEqualTo(ResultCode.PROTOCOL_ERROR);
    Request.Bind sasl = new Request.Bind(1, 3, "", "PLAIN", bytes("x"), List.of());
    assertThat(directory.run(sasl).code()).isEqualTo(ResultCode.AUTH_METHOD_NOT_SUPPORTED);
    Request.Bind controlled =
        new Request.Bind(1, 3, ANN, null, bytes("secret"), List.of(OperationFixture.manageDsaIt()));
    assertThat(directory.run(controlled).code())
        .isEqualTo(ResultCode.UNAVAILABLE_CRITICAL_EXTENSION);
  }

  @Test
  void shouldRefuseARootAccountWithoutAName() {
    PasswordHash password = PasswordHash.parse(bytes("secret"));
    assertThatThrownBy(() -> new RootAccount(Dn.EMPTY, password))
        .isInstanceOf(IllegalArgumentException.class);
    RootAccount root = new RootAccount(OperationFixture.ROOT.dn(), password);
    assertThat(root.toString()).doesNotContain("secret");
    assertThat(BoundIdentity.ANONYMOUS.isAnonymous()).isTrue();
  }
}
