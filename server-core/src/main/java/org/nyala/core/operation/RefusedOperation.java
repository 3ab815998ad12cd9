package org.nyala.core.operation;

import java.util.List;
import java.util.Set;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.RequestControls;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;

/** A change, which the server does not take. Confined to one running operation. */
final class RefusedOperation implements OperationBody {
  static final Set<ControlType> CONTROLS = Set.of(ControlType.MANAGE_DSA_IT);

  private final Directory directory;
  private final List<RequestControl> controls;

  RefusedOperation(Directory directory, List<RequestControl> controls) {
    this.directory = directory;
    this.controls = controls;
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    RequestControls.read(controls, CONTROLS, directory.limits().controls());
    throw new LdapOperationException(
        ResultCode.UNWILLING_TO_PERFORM, "the directory takes no changes over LDAP");
  }
}
