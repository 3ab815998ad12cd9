package org.nyala.core.operation.password;

import java.util.List;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.RequestControls;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.policy.PolicyError;
import org.nyala.core.policy.PolicyResponse;

/**
 * Refusals by a password policy. Each has the response control, which those who have not asked for
 * it are {@linkplain #told not told}. Stateless.
 */
public final class PolicyRefusal {
  private PolicyRefusal() {}

  /** Returns a refusal. */
  public static LdapOperationException of(ResultCode code, PolicyError error, String message) {
    return new LdapOperationException(
        LdapResult.of(code, message).with(List.of(PolicyResponse.of(error).control())));
  }

  /** Returns a result as the client of a request is told it. */
  public static LdapResult told(LdapResult result, RequestControls asked) {
    if (result.controls().isEmpty() || asked.has(ControlType.PASSWORD_POLICY)) {
      return result;
    }
    List<ResponseControl> others =
        result.controls().stream().filter(each -> !each.oid().equals(PolicyResponse.OID)).toList();
    return others.size() == result.controls().size() ? result : result.with(others);
  }

  /** Returns a refusal as the client of a request is told it. */
  public static LdapOperationException told(LdapOperationException refusal, RequestControls asked) {
    LdapResult told = told(refusal.result(), asked);
    return told.equals(refusal.result())
        ? refusal
        : new LdapOperationException(told, refusal.reason());
  }
}
