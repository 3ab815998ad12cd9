package org.nyala.core.operation.password;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.change;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.PolicySettings;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.LiveDirectory;
import org.nyala.core.operation.UpdateFixture;
import org.nyala.core.quality.PasswordChecks;
import org.nyala.core.session.OperationFixture;

/** Tests the times of passwords of accounts without a policy. */
@Timeout(60)
class PasswordTimeTest {
  private static final String ANN = "cn=ann," + UpdateFixture.TOP;
  private static final String PASSWORD_MODIFY = "1.3.6.1.4.1.4203.1.11.1";
  private static final int ADD = 0;
  private static final int DELETE = 1;
  private static final int REPLACE = 2;

  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private LiveDirectory directory;
  private LiveDirectory.Client root;

  private void open(boolean alwaysNotesChange) {
    PolicySettings settings =
        new PolicySettings(
            null, List.of(), false, true, false, 0, alwaysNotesChange, PasswordChecks.NONE);
    directory =
        new LiveDirectory(
            "adaptive", new AccessPolicy(true).withPasswordPolicy(settings), () -> now);
    root = directory.root();
  }

  @AfterEach
  void close() {
    assertThat(directory.internalErrors()).isZero();
    directory.close();
  }

  private void modify(Request.Change... changes) {
    Request.Modify request = new Request.Modify(root.nextId(), ANN, List.of(changes), List.of());
    assertThat(root.ask(request).result().code()).isEqualTo(ResultCode.SUCCESS);
  }

  /** Lets a second go by, and says what it is. */
  private String later() {
    now = now.plus(1, ChronoUnit.SECONDS);
    return now.toString().replaceAll("[-:T]", "");
  }

  private void assertChanged(String time) {
    assertThat(directory.values(ANN, "pwdChangedTime")).containsExactly(time);
  }

  @Test
  void shouldNoteWhenPasswordsAreSet() {
    open(true);
    String time = later();
    assertThat(root.add(ANN, "objectClass=person", "sn=A", "userPassword=first"))
        .isEqualTo(ResultCode.SUCCESS);
    assertChanged(time);
    for (String value : List.of("second", "{SSHA}NcFbYkCS2WMPPxoNFl7K7yYJXm5IvdJ3")) {
      time = later();
      modify(change(REPLACE, "userPassword", value));
      assertChanged(time);
    }
    time = later();
    modify(change(ADD, "userPassword", "another"));
    assertChanged(time);
    time = later();
    BerWriter wanted =
        new BerWriter()
            .octets(0x80, OperationFixture.bytes(ANN))
            .octets(0x82, OperationFixture.bytes("third"));
    assertThat(
            root.extended(PASSWORD_MODIFY, new BerWriter().sequence(wanted).toByteArray())
                .result()
                .code())
        .isEqualTo(ResultCode.SUCCESS);
    assertChanged(time);
    later();
    modify(change(REPLACE, "description", "no password"));
    assertChanged(time);
    modify(change(DELETE, "userPassword"));
    assertThat(directory.values(ANN, "pwdChangedTime")).isEmpty();
  }

  @Test
  void shouldNoteNothingUnlessConfigured() {
    open(false);
    assertThat(root.add(ANN, "objectClass=person", "sn=A", "userPassword=first"))
        .isEqualTo(ResultCode.SUCCESS);
    modify(change(REPLACE, "userPassword", "second"));
    assertThat(directory.values(ANN, "pwdChangedTime")).isEmpty();
  }

  @Test
  void shouldNoteNothingOfEntriesWithoutPasswords() {
    open(true);
    assertThat(root.add(ANN, "objectClass=person", "sn=A")).isEqualTo(ResultCode.SUCCESS);
    modify(change(REPLACE, "description", "no password"));
    assertThat(directory.values(ANN, "pwdChangedTime")).isEmpty();
    String time = later();
    modify(change(ADD, "userPassword", "first"));
    assertChanged(time);
  }
}
