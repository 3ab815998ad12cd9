package org.nyala.core.operation;

import java.util.EnumSet;
import org.jspecify.annotations.Nullable;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.OperationType;
import org.nyala.core.message.Request;
import org.nyala.core.operation.search.SlicePace;
import org.nyala.core.rights.AccessControl;
import org.nyala.core.rights.ClientRules;
import org.nyala.core.rights.Limit;
import org.nyala.core.rights.MembershipLookup;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.extension.EnclosedOperation;
import org.nyala.extension.Hooks;

/**
 * An operation whose client's rights follow from access rules: these are decided for the client,
 * which may take looking up its groups, before the operation runs.
 *
 * <p>Confined to one running operation.
 */
final class RuledOperation extends EnclosedOperation {
  private final OperationContext directory;
  private final AccessControl control;
  private @Nullable MembershipLookup lookup;
  private boolean isDecided;

  private RuledOperation(OperationContext directory, AccessControl control, OperationBody body) {
    super(body);
    this.directory = directory;
    this.control = control;
  }

  /** Returns hooks before operations that ask for entries; none if there are no rules. */
  static Hooks hooks(OperationContext directory) {
    AccessControl control = directory.control();
    return control == null
        ? Hooks.NONE
        : Hooks.enclosing(
            EnumSet.complementOf(EnumSet.of(OperationType.UNBIND, OperationType.ABANDON)),
            (request, body) ->
                request instanceof Request.Extended extended
                        && DirectoryOperations.isOvertaking(extended)
                    ? body
                    : new RuledOperation(directory, control, body));
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    if (!isDecided) {
      isDecided = operation.identity().isRoot() || isDecided(operation, budget);
      if (!isDecided) {
        return Outcome.YIELDED;
      }
    }
    return body.run(operation, budget);
  }

  private boolean isDecided(Operation operation, SliceBudget budget) throws LdapOperationException {
    ClientRules rules = operation.knownRules(control);
    if (rules == null) {
      MembershipLookup going = lookup;
      if (going == null) {
        going = control.lookUp(operation.clientFacts());
        lookup = going;
      }
      rules = going.go(new SlicePace(directory.nanoClock()).begin(operation, budget));
    }
    if (rules == null) {
      return false;
    }
    lookup = null;
    operation.decideBy(rules);
    if (operation.requester() == null) {
      operation.session().limitInFlight(operation.limit(Limit.Bound.IN_FLIGHT, 0));
    }
    return true;
  }
}
