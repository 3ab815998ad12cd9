package org.nyala.core.operation.store;

import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.EffectiveRights;
import org.nyala.core.control.RequestControls;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.extended.AuthorizationIds;
import org.nyala.core.operation.search.RightsOfSubject;
import org.nyala.core.rights.AccessControl;
import org.nyala.core.session.Operation;

/** Reads the control by which a search asks for effective rights. */
final class ToldRights {
  private ToldRights() {}

  /**
   * Returns the rights that are told; null if none are asked for, or if there are no access rules
   * and the control is not critical.
   *
   * @throws LdapOperationException if the control is malformed, or critical without access rules
   */
  static @Nullable RightsOfSubject of(
      OperationContext directory, Operation operation, RequestControls controls)
      throws LdapOperationException {
    if (!controls.has(ControlType.EFFECTIVE_RIGHTS)) {
      return null;
    }
    EffectiveRights asked =
        EffectiveRights.of(controls, directory.limits().requests().requestedAttributes());
    AccessControl control = directory.control();
    boolean isPersistent = controls.has(ControlType.PERSISTENT_SEARCH);
    if (control != null && !isPersistent) {
      return new RightsOfSubject(
          control, operation, subject(directory, operation, asked), asked.attributes());
    }
    if (controls.isCritical(ControlType.EFFECTIVE_RIGHTS)) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM,
          isPersistent
              ? "a persistent search tells no effective rights"
              : "there are no access rules to tell effective rights of (access.rules)");
    }
    return null;
  }

  private static BoundIdentity subject(
      OperationContext directory, Operation operation, EffectiveRights asked)
      throws LdapOperationException {
    String id = asked.authorizationId();
    if (id == null) {
      return operation.identity();
    }
    String name = id.regionMatches(true, 0, "dn:", 0, 3) ? id.substring(3).strip() : null;
    if (name == null) {
      throw new LdapOperationException(
          ResultCode.PROTOCOL_ERROR, "effective rights control: expected dn: and a name");
    }
    BoundIdentity subject = AuthorizationIds.of(directory, directory.scratch().names.parse(name));
    return directory.roots().acting(directory, subject, operation.request());
  }
}
