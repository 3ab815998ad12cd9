package org.nyala.core.operation.bind;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.access.PolicySettings;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.RequestControls;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.extended.AuthorizationIds;
import org.nyala.core.policy.LoginVerdict;
import org.nyala.core.policy.PolicyError;
import org.nyala.core.policy.PolicyResponse;

/**
 * The controls of the answers to binds. Whoever asks for that of password policies gets it with
 * every refusal, for whatever name: it tells nothing about names.
 *
 * <p>Confined to one running operation.
 */
final class BindResponses {
  /** The control that returns the authorization identity (RFC 3829, section 2). */
  private static final String AUTHORIZATION_IDENTITY_RESPONSE = "2.16.840.1.113730.3.4.15";

  private final PolicySettings settings;
  private final RequestControls controls;

  BindResponses(OperationContext directory, RequestControls controls) {
    this.settings = directory.passwordPolicy();
    this.controls = controls;
  }

  /** Returns the answer to a bind that has succeeded. */
  LdapResult success(BoundIdentity identity, LoginVerdict verdict) {
    boolean isPlain = controls.isEmpty() && verdict == LoginVerdict.FREE;
    if (isPlain) {
      return LdapResult.SUCCESS;
    }
    List<ResponseControl> responses = new ArrayList<>(2);
    if (controls.has(ControlType.AUTHORIZATION_IDENTITY)) {
      responses.add(
          new ResponseControl(AUTHORIZATION_IDENTITY_RESPONSE, AuthorizationIds.encode(identity)));
    }
    add(PolicyResponse.of(verdict), responses);
    return responses.isEmpty() ? LdapResult.SUCCESS : LdapResult.SUCCESS.with(responses);
  }

  private void add(PolicyResponse told, List<ResponseControl> responses) {
    if (controls.has(ControlType.PASSWORD_POLICY)) {
      responses.add(told.control());
      return;
    }
    ResponseControl netscape = settings.sendsNetscape() ? told.netscape() : null;
    if (netscape != null) {
      responses.add(netscape);
    }
  }

  /** Returns a refusal with the controls that belong to it. */
  LdapOperationException told(LdapOperationException refusal) {
    LdapResult result = refusal.result();
    if (result.code() != ResultCode.INVALID_CREDENTIALS) {
      return refusal;
    }
    List<ResponseControl> responses = new ArrayList<>(1);
    PolicyError error = error(refusal.reason());
    add(error == null ? PolicyResponse.EMPTY : PolicyResponse.of(error), responses);
    return responses.isEmpty()
        ? refusal
        : new LdapOperationException(result.with(responses), refusal.reason());
  }

  private @Nullable PolicyError error(@Nullable RefusalReason reason) {
    if (reason == RefusalReason.ACCOUNT_LOCKED) {
      return settings.tellsLocked() ? PolicyError.ACCOUNT_LOCKED : null;
    }
    return switch (reason) {
      case PASSWORD_EXPIRED -> PolicyError.PASSWORD_EXPIRED;
      case MUST_CHANGE_PASSWORD -> PolicyError.CHANGE_AFTER_RESET;
      case null, default -> null;
    };
  }
}
