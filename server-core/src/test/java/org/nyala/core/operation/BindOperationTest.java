package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.operation.OperationFixture.bytes;
import static org.nyala.core.operation.OperationFixture.entry;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.backend.RandomDirectory;
import org.nyala.core.dispatch.Task;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.Entry;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;

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
    assertThat(bind(ANN, "").code()).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
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

  @Test
  void shouldRefuse() {
    // Whoever is elsewhere is nobody here (RFC 3296, section 5.6.1).
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
