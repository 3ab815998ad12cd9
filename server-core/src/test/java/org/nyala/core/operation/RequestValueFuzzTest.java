package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.LEAF;
import static org.nyala.core.operation.UpdateFixture.TOP;
import static org.nyala.core.operation.UpdateFixture.add;
import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.UpdateFixture.delete;
import static org.nyala.core.operation.UpdateFixture.modify;
import static org.nyala.core.operation.UpdateFixture.rename;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.accounts.AccountControl;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.DecoderFuzz;
import org.nyala.core.ber.ElementBudget;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.EffectiveRights;
import org.nyala.core.control.PersistentSearch;
import org.nyala.core.control.RequestControls;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.extended.CancelOperation;
import org.nyala.core.operation.extended.ExtendedOperation;
import org.nyala.core.operation.extended.PasswordModifyRequest;
import org.nyala.core.operation.update.EndTransaction;
import org.nyala.core.operation.update.ModifyOperation;

/** Tests that invalid values of requests are rejected, and never cause an internal error. */
class RequestValueFuzzTest {
  /** The allowed results of an update or extended operation with an arbitrary value. */
  private static final Set<ResultCode> REFUSALS =
      Set.of(
          ResultCode.PROTOCOL_ERROR,
          ResultCode.ADMIN_LIMIT_EXCEEDED,
          ResultCode.ASSERTION_FAILED,
          ResultCode.AUTHORIZATION_DENIED,
          ResultCode.INSUFFICIENT_ACCESS_RIGHTS,
          ResultCode.NO_SUCH_OPERATION,
          ResultCode.STRONGER_AUTH_REQUIRED,
          ResultCode.NO_SUCH_OBJECT,
          ResultCode.INVALID_DN_SYNTAX,
          ResultCode.CANNOT_CANCEL,
          ResultCode.UNWILLING_TO_PERFORM);

  private final UpdateFixture directory = new UpdateFixture();

  @AfterEach
  void close() {
    directory.close();
  }

  private static byte[] sample(String oid) {
    return Objects.requireNonNull(SampleExtensions.value(oid));
  }

  private static BerReader reader(byte[] value) {
    return new BerReader(value, new ElementBudget(value.length));
  }

  private static RequestControls controls(ControlType type, byte[] value)
      throws LdapOperationException {
    return RequestControls.read(
        List.of(new RequestControl(type.oid(), true, value)), Set.of(type), 1);
  }

  @Test
  void shouldRefuseCutValuesOfExtendedOperations() {
    DecoderFuzz.check(
        sample(AccountControl.PASSWORD_MODIFY), value -> PasswordModifyRequest.read(reader(value)));
    DecoderFuzz.check(sample(EndTransaction.OID), value -> EndTransaction.End.read(reader(value)));
    DecoderFuzz.check(
        sample(CancelOperation.OID), value -> CancelOperation.cancelId(reader(value)));
  }

  @Test
  void shouldRefuseCutValuesOfPersistentSearches() {
    DecoderFuzz.check(
        SampleControls.value(ControlType.PERSISTENT_SEARCH),
        value -> PersistentSearch.of(controls(ControlType.PERSISTENT_SEARCH, value)));
  }

  @Test
  void shouldRefuseCutValuesOfEffectiveRights() {
    DecoderFuzz.check(
        SampleControls.value(ControlType.EFFECTIVE_RIGHTS),
        value -> {
          if (value.length == 0) {
            throw new LdapOperationException(ResultCode.PROTOCOL_ERROR, "allowed, but no prefix");
          }
          EffectiveRights _ = EffectiveRights.of(controls(ControlType.EFFECTIVE_RIGHTS, value), 8);
        });
  }

  @Test
  void shouldAnswerUpdatesWithAnyValueOfAnyControl() {
    for (ControlType type : ControlType.values()) {
      byte[] sample = SampleControls.value(type);
      if (sample == null || !ModifyOperation.CONTROLS.contains(type)) {
        continue;
      }
      DecoderFuzz.harmless(
          sample,
          value -> {
            RequestControl control = new RequestControl(type.oid(), true, value);
            requireAnswered(modify(List.of(control), LEAF, change(2, "description", "green")));
          });
    }
  }

  /** Each kind of update separately: they honour different controls. */
  @Test
  void shouldAnswerEveryUpdateWithAValueThatIsNone() {
    for (ControlType type : ControlType.values()) {
      for (byte[] value : List.of(new byte[0], new byte[] {0x30}, new byte[] {0x30, 0x7f, 4})) {
        RequestControl control = new RequestControl(type.oid(), true, value);
        for (Request request :
            List.of(
                add(
                    List.of(control),
                    "ou=n," + TOP,
                    "objectClass",
                    "organizationalUnit",
                    "ou",
                    "n"),
                rename("ou=n," + TOP, "ou=m", true, control),
                delete("ou=m," + TOP, control))) {
          boolean isHonoured = SampleControls.SUPPORTED.of(request).contains(type);
          ResultCode code = directory.code(request);
          if (!isHonoured) {
            assertThat(code).isEqualTo(ResultCode.UNAVAILABLE_CRITICAL_EXTENSION);
          } else if (type == ControlType.SESSION_TRACKING) {
            assertThat(code).as("%s", request).isEqualTo(ResultCode.SUCCESS);
          } else if (type != ControlType.PROXIED_AUTHORIZATION || value.length > 0) {
            assertThat(code).as("%s on %s", type, request).isIn(REFUSALS);
          }
        }
      }
    }
    assertThat(directory.names()).hasSize(6);
  }

  @Test
  void shouldAnswerExtendedOperationsWithAnyValue() {
    for (String oid : ExtendedOperation.OIDS) {
      byte[] sample = SampleExtensions.value(oid);
      fuzz(oid, sample == null ? new byte[] {1} : sample);
    }
  }

  private void fuzz(String oid, byte[] sample) {
    DecoderFuzz.harmless(
        sample, value -> requireAnswered(new Request.Extended(1, oid, value, List.of())));
  }

  private void requireAnswered(Request request) throws LdapOperationException {
    ResultCode code = directory.code(request);
    if (code != ResultCode.SUCCESS && !REFUSALS.contains(code)) {
      throw new IllegalStateException("answered " + code);
    }
  }
}
