package org.nyala.core.operation;

import java.util.List;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;

/** A change, which the server does not take. Confined to one running operation. */
final class RefusedOperation implements OperationBody {
  private final Directory directory;
  private final List<RequestControl> controls;

  RefusedOperation(Directory directory, List<RequestControl> controls) {
    this.directory = directory;
    this.controls = controls;
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    Controls.manageDsaIt(controls, true, directory.limits().controls());
    throw new LdapOperationException(
        ResultCode.UNWILLING_TO_PERFORM, "the directory takes no changes over LDAP");
  }
}
