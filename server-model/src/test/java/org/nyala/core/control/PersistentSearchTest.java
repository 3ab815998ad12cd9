package org.nyala.core.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;

class PersistentSearchTest {
  private static final ControlType TYPE = ControlType.PERSISTENT_SEARCH;

  private static byte[] value(int types, boolean changesOnly, boolean returnsChanges) {
    BerWriter content = new BerWriter().integer(types).bool(changesOnly).bool(returnsChanges);
    return new BerWriter().sequence(content).toByteArray();
  }

  private static PersistentSearch read(byte[] value) throws LdapOperationException {
    RequestControl control = new RequestControl(TYPE.oid(), true, value);
    return Objects.requireNonNull(
        PersistentSearch.of(RequestControls.read(List.of(control), Set.of(TYPE), 1)));
  }

  private static ResultCode refusal(byte[] value) {
    return Objects.requireNonNull(
            catchThrowableOfType(LdapOperationException.class, () -> read(value)))
        .result()
        .code();
  }

  @Test
  void shouldReadWhatIsWanted() throws LdapOperationException {
    assertThat(read(value(5, true, false))).isEqualTo(new PersistentSearch(5, true, false));
    PersistentSearch all = read(value(15, false, true));
    assertThat(all.wants(PersistentSearch.MODIFY_DN)).isTrue();
    assertThat(new PersistentSearch(5, false, false).wants(PersistentSearch.DELETE)).isFalse();
  }

  @Test
  void shouldRefuseKindsOfChangesThatThereAreNot() {
    assertThat(refusal(value(0, true, true))).isEqualTo(ResultCode.PROTOCOL_ERROR);
    assertThat(refusal(value(16, true, true))).isEqualTo(ResultCode.PROTOCOL_ERROR);
    assertThat(refusal(value(-1, true, true))).isEqualTo(ResultCode.PROTOCOL_ERROR);
  }

  @Test
  void shouldRefuseWhatIsCutOffOrDamaged() {
    byte[] valid = value(15, true, true);
    for (int cut = 0; cut < valid.length; cut++) {
      assertThat(refusal(Arrays.copyOf(valid, cut))).isEqualTo(ResultCode.PROTOCOL_ERROR);
    }
    assertThat(refusal(Arrays.copyOf(valid, valid.length + 1)))
        .isEqualTo(ResultCode.PROTOCOL_ERROR);
    long seed = Seeds.seed();
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      byte[] damaged = valid.clone();
      for (int n = random.nextInt(3); n >= 0; n--) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
      }
      try {
        int types = read(damaged).changeTypes();
        assertThat(types).as("seed %d", seed).isBetween(1, 15);
      } catch (LdapOperationException e) {
        assertThat(e.result().code()).as("seed %d", seed).isEqualTo(ResultCode.PROTOCOL_ERROR);
      }
    }
  }

  @Test
  void shouldSayWhatHappenedToAnEntry() {
    ResponseControl deleted = PersistentSearch.changed(PersistentSearch.DELETE);
    assertThat(deleted.oid()).isEqualTo("2.16.840.1.113730.3.4.7");
    assertThat(deleted.value()).containsExactly(0x30, 3, 0x0a, 1, 2);
    assertThat(PersistentSearch.renamed(new byte[] {'c', '=', 'x'}).value())
        .containsExactly(0x30, 8, 0x0a, 1, 8, 4, 3, 'c', '=', 'x');
  }
}
