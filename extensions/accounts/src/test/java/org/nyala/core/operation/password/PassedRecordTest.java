package org.nyala.core.operation.password;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.PolicySettings;
import org.nyala.core.accounts.SharedAccounts;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.LiveDirectory;
import org.nyala.core.operation.UpdateFixture;
import org.nyala.core.policy.AttemptGate.Due;

/** Records of logins at other servers, and what is none. */
final class PassedRecordTest {
  private static final String POLICY = "cn=policy," + UpdateFixture.TOP;
  private static final String ANN = "cn=ann," + UpdateFixture.TOP;
  private static final int MOST = 3;

  private final Instant now = Instant.parse("2026-01-31T12:00:00Z");
  private final LiveDirectory directory =
      new LiveDirectory(
          "adaptive",
          new AccessPolicy(true)
              .withPasswordPolicy(PolicySettings.NONE.by(UpdateFixture.dn(POLICY))),
          () -> now);

  @BeforeEach
  void fill() {
    LiveDirectory.Client root = directory.root();
    ResultCode policy =
        root.add(
            POLICY,
            "objectClass=device",
            "objectClass=pwdPolicy",
            "cn=policy",
            "pwdAttribute=2.5.4.35",
            "pwdLockout=TRUE",
            "pwdMaxFailure=" + MOST);
    assertThat(policy).isEqualTo(ResultCode.SUCCESS);
    assertThat(root.add(ANN, "objectClass=person", "cn=ann", "sn=S", "userPassword=right"))
        .isEqualTo(ResultCode.SUCCESS);
  }

  @AfterEach
  void close() {
    assertThat(directory.internalErrors()).isZero();
    directory.close();
  }

  private SharedAccounts accounts() {
    return directory.operations.directory().get().accounts().shared();
  }

  private byte[] record(byte[] form) throws Exception {
    return accounts().record(directory.store, form).toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  private long id() {
    try (var read = directory.store.beginRead()) {
      return read.find(UpdateFixture.dn(ANN));
    }
  }

  private byte[] failures(int count, Instant from, Instant cleared) {
    Instant[] times = new Instant[count];
    Arrays.setAll(times, i -> from.plusSeconds(i));
    return PassedRecord.form(id(), new Due(List.of(times), cleared));
  }

  private ResultCode bind(String password) {
    LiveDirectory.Client client = directory.open();
    return client
        .ask(new Request.Bind(client.nextId(), 3, ANN, null, password.getBytes(UTF_8), List.of()))
        .result()
        .code();
  }

  /** The clock of the other server may be far from the one here. */
  @Test
  void shouldRecordWrongPasswordsAtTimesOfThisServer() throws Exception {
    for (Instant elsewhere : List.of(now.minusSeconds(100_000), now.plusSeconds(100_000))) {
      assertThat(PassedRecord.isLocked(record(failures(1, elsewhere, null)))).isFalse();
    }
    assertThat(directory.values(ANN, "pwdFailureTime"))
        .containsExactlyInAnyOrder("20260131120000.000000Z", "20260131120000.000001Z");
    assertThat(bind("right")).isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldLockAndSayIt() throws Exception {
    assertThat(PassedRecord.isLocked(record(failures(2, now, null)))).isFalse();
    assertThat(PassedRecord.isLocked(record(failures(1, now, null)))).isTrue();
    assertThat(bind("right")).isEqualTo(ResultCode.INVALID_CREDENTIALS);
  }

  @Test
  void shouldForgetThoseBeforeTheRightPassword() throws Exception {
    assertThat(record(failures(2, now, null))).hasSize(1);
    // Of the three new ones, only the last came after the right password.
    assertThat(record(failures(3, now.plusSeconds(1), now.plusSeconds(2)))).hasSize(1);
    assertThat(directory.values(ANN, "pwdFailureTime")).hasSize(1);
    assertThat(record(failures(0, now, now.plusSeconds(9)))).hasSize(1);
    assertThat(directory.values(ANN, "pwdFailureTime")).isEmpty();
  }

  private void shouldRefuse(byte[] form) {
    assertThatThrownBy(() -> record(form))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldRecordNothingOfWhatIsNoForm() throws Exception {
    byte[] whole = failures(1, now, now.minusSeconds(1));
    for (int length = 0; length < whole.length; length++) {
      shouldRefuse(Arrays.copyOf(whole, length));
    }
    shouldRefuse(Arrays.copyOf(whole, whole.length + 1));
    int failures = 1 + Long.BYTES;
    for (int count : List.of(-1, PassedRecord.MOST_FAILURES + 1, Integer.MAX_VALUE)) {
      shouldRefuse(ByteBuffer.wrap(whole.clone()).putInt(failures, count).array());
    }
    for (long seconds : List.of(-1L, Long.MAX_VALUE, Long.MIN_VALUE + 1)) {
      shouldRefuse(ByteBuffer.wrap(whole.clone()).putLong(failures + 4, seconds).array());
    }
    Random random = new Random(11);
    for (int i = 0; i < 2_000; i++) {
      byte[] other = new byte[random.nextInt(40)];
      random.nextBytes(other);
      other = other.length > 0 && i % 2 == 0 ? withKind(other, random.nextInt(3)) : other;
      try {
        assertThat(record(other).length).isLessThan(10);
      } catch (ExecutionException e) {
        assertThat(e).hasCauseInstanceOf(RuntimeException.class);
      }
    }
    assertThat(directory.values(ANN, "pwdFailureTime")).isEmpty();
  }

  private static byte[] withKind(byte[] form, int kind) {
    form[0] = (byte) kind;
    return form;
  }
}
