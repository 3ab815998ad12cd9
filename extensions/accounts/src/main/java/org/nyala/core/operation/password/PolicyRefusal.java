package org.nyala.core.operation.password;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.nyala.core.control.ControlType;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.policy.PolicyError;
import org.nyala.core.policy.PolicyResponse;
import org.nyala.core.session.Operation;

/**
 * Refusals by a password policy. Each has the response control, which those who have not asked for
 * it are {@linkplain #told not told}. Stateless.
 */
public final class PolicyRefusal {
  /** The controls by which refusals are told, and known again. */
  private static final Map<PolicyError, ResponseControl> CONTROLS = controls();

  private PolicyRefusal() {}

  private static Map<PolicyError, ResponseControl> controls() {
    Map<PolicyError, ResponseControl> controls = new EnumMap<>(PolicyError.class);
    for (PolicyError error : PolicyError.values()) {
      controls.put(error, PolicyResponse.of(error).control());
    }
    return controls;
  }

  /**
   * Returns a refusal.
   *
   * @param reason the reason that the client is not told; null if the result says all
   */
  static LdapOperationException of(
      ResultCode code, PolicyError error, String message, @Nullable RefusalReason reason) {
    ResponseControl control = Objects.requireNonNull(CONTROLS.get(error));
    return new LdapOperationException(LdapResult.of(code, message).with(List.of(control)), reason);
  }

  /** Returns a result as the client is told it, and counts a refusal; once for each operation. */
  public static LdapResult told(LdapResult result, Operation operation) {
    for (ResponseControl each : result.controls()) {
      CONTROLS.forEach(
          (error, control) -> {
            if (control == each) {
              operation.session().metrics().accounts().passwordsRefused(error.label()).increment();
            }
          });
    }
    if (result.controls().isEmpty() || operation.controls().has(ControlType.PASSWORD_POLICY)) {
      return result;
    }
    List<ResponseControl> others =
        result.controls().stream().filter(each -> !each.oid().equals(PolicyResponse.OID)).toList();
    return others.size() == result.controls().size() ? result : result.with(others);
  }
}
