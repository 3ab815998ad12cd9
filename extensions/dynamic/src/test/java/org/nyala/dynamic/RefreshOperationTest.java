package org.nyala.dynamic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.nyala.core.operation.UpdateFixture.ANN;
import static org.nyala.core.operation.UpdateFixture.LEAF;
import static org.nyala.core.operation.UpdateFixture.TOP;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.access.RulesText;
import org.nyala.core.access.enforce.RulesService;
import org.nyala.core.ber.BerReader;
import org.nyala.core.directory.RootAccounts;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.RecordingSink;
import org.nyala.core.operation.UpdateFixture;

/** Tests how clients extend the life of dynamic entries. */
class RefreshOperationTest extends DynamicEntriesTestCase {
  private static final long SEED = Seeds.seed();

  RefreshOperationTest() {
    directory.rights = new RulesService();
  }

  private static int granted(RecordingSink sink) throws Exception {
    BerReader reader = BerReader.trusted(sink.extendedValue);
    BerReader sequence = reader.sequence();
    int ttl = sequence.integer(0x81);
    sequence.requireEnd();
    reader.requireEnd();
    return ttl;
  }

  @Test
  void shouldRefresh() throws Exception {
    add(CALL);
    assertThat(granted(refresh(value(CALL, 90_000)))).isEqualTo(90_000);
    assertThat(remaining(CALL)).isEqualTo("90000");
    pass(80_000);
    sweep();
    assertThat(remaining(CALL)).isEqualTo("10000");
    // A value below the minimum is raised to it.
    RecordingSink raised = refresh(value(CALL, 1));
    assertThat(raised.code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(granted(raised)).isEqualTo(10);
    pass(10);
    // Not deleted yet.
    assertThat(granted(refresh(value(CALL, 20)))).isEqualTo(20);
    sweep();
    assertThat(remaining(CALL)).isEqualTo("20");
    pass(20);
    sweep();
    assertThat(directory.stored(CALL)).isNull();
    assertThat(refresh(CALL, 20)).isEqualTo(ResultCode.NO_SUCH_OBJECT);
  }

  @Test
  void shouldSayWhatCannotBeRefreshed() throws Exception {
    add(CALL);
    RecordingSink tooMuch = refresh(value(CALL, 90_001));
    assertThat(tooMuch.code()).isEqualTo(ResultCode.SIZE_LIMIT_EXCEEDED);
    assertThat(granted(tooMuch)).isZero();
    RecordingSink missing = refresh(value("cn=none," + TOP, 60));
    assertThat(missing.code()).isEqualTo(ResultCode.NO_SUCH_OBJECT);
    assertThat(granted(missing)).isZero();
    assertThat(refresh(CALL, 0)).isEqualTo(ResultCode.PROTOCOL_ERROR);
    assertThat(refresh(CALL, -5)).isEqualTo(ResultCode.PROTOCOL_ERROR);
    assertThat(refresh(CALL, 31_557_601)).isEqualTo(ResultCode.PROTOCOL_ERROR);
    assertThat(refresh(CALL, 31_557_600)).isEqualTo(ResultCode.SIZE_LIMIT_EXCEEDED);
    assertThat(refresh((byte[]) null).code()).isEqualTo(ResultCode.PROTOCOL_ERROR);
    assertThat(refresh(LEAF, 60)).isEqualTo(ResultCode.OBJECT_CLASS_VIOLATION);
    assertThat(refresh("no name", 60)).isEqualTo(ResultCode.INVALID_DN_SYNTAX);
    assertThat(refresh("", 60)).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(refresh("cn=x," + UpdateFixture.AWAY, 60)).isEqualTo(ResultCode.REFERRAL);
    assertThat(remaining(CALL)).isEqualTo("600");
  }

  @Test
  void shouldRefreshWhatAccessRulesLetBeWritten() {
    add(CALL);
    rules("to attributes entryTtl\n  self may add, remove\nto all\n  users may read");
    directory.identity = new BoundIdentity(UpdateFixture.dn(CALL), false);
    assertThat(refresh(CALL, 60)).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    rules("to attributes entryTtl\n  users may write\nto all\n  self may read");
    assertThat(refresh(CALL, 60)).isEqualTo(ResultCode.SUCCESS);
    directory.identity = new BoundIdentity(UpdateFixture.dn(ANN), false);
    assertThat(refresh(CALL, 70)).isEqualTo(ResultCode.SUCCESS);
    rules("to attributes entryTtl\n  self may write\nto all\n  self may read");
    assertThat(refresh(CALL, 60)).isEqualTo(ResultCode.NO_SUCH_OBJECT);
    directory.identity = BoundIdentity.ANONYMOUS;
    rules("to all\n  all may write");
    assertThat(refresh(CALL, 60)).isEqualTo(ResultCode.STRONGER_AUTH_REQUIRED);
  }

  private void rules(String text) {
    directory.access = directory.access.withRules(new RulesText("r", text));
    directory.operations().reconfigure(directory.access, directory.limits, RootAccounts.NONE);
  }

  @Test
  void shouldSayWhoMayRefresh() {
    add(CALL);
    directory.identity = BoundIdentity.ANONYMOUS;
    assertThat(refresh(CALL, 60)).isEqualTo(ResultCode.STRONGER_AUTH_REQUIRED);
    directory.identity = new BoundIdentity(UpdateFixture.dn(ANN), false);
    assertThat(refresh(CALL, 60)).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(remaining(CALL)).isEqualTo("600");
    directory.identity = new BoundIdentity(UpdateFixture.dn(CALL), false);
    assertThat(refresh(CALL, 60)).isEqualTo(ResultCode.SUCCESS);
    assertThat(remaining(CALL)).isEqualTo("60");
    assertThat(directory.stored(CALL)).containsEntry("modifiersName", List.of(CALL));
  }

  @Test
  void shouldReadAnyBytesAsARequestOrRefuseThem() {
    byte[] sound = value(CALL, 60);
    assertThatCode(() -> RefreshRequest.read(BerReader.trusted(sound))).doesNotThrowAnyException();
    Random random = new Random(SEED);
    for (int i = 0; i < 5000; i++) {
      byte[] bytes =
          i < sound.length
              ? Arrays.copyOf(sound, i)
              : Arrays.copyOf(sound, sound.length + random.nextInt(3));
      if (i >= sound.length) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      String context = "seed " + SEED + " i " + i;
      try {
        int ttl = RefreshRequest.read(BerReader.trusted(bytes)).ttlSeconds();
        assertThat(ttl).as(context).isBetween(1, 31_557_600);
        assertThat(i).as(context).isGreaterThanOrEqualTo(sound.length);
      } catch (LdapOperationException e) {
        assertThat(e.result().code()).as(context).isEqualTo(ResultCode.PROTOCOL_ERROR);
      }
    }
  }
}
