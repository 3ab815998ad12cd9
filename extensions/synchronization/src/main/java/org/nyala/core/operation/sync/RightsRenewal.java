package org.nyala.core.operation.sync;

import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.ProxyRight;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.search.SearchPlan;
import org.nyala.core.operation.search.SearchRights;
import org.nyala.core.rights.AccessControl;
import org.nyala.core.rights.ClientRules;
import org.nyala.core.rights.MembershipLookup;
import org.nyala.core.session.Operation;

/**
 * The renewal of the rights of a search that goes on for longer than groups stay the same.
 *
 * <p>Confined to one running operation.
 */
final class RightsRenewal {
  private @Nullable MembershipLookup lookup;
  private @Nullable ProxyRight proxy;
  private boolean areOthers;

  /**
   * Decides the access rules anew if the groups have changed.
   *
   * @return false if the slice ends before
   * @throws LdapOperationException unavailable if there are other rules, or another schema;
   *     authorizationDenied if the client may no longer act as another
   */
  public boolean go(Operation operation, SearchPlan plan, SliceBudget budget)
      throws LdapOperationException {
    SearchRights rights = plan.rights();
    AccessControl control = plan.directory().control();
    if (plan.directory().current().control() != control) {
      throw new LdapOperationException(
          ResultCode.UNAVAILABLE, "the access rules or the schema have changed: search again");
    }
    if (rights == null || control == null || control.isCurrent(rights.entries().rules())) {
      return true;
    }
    if (!mayStillAct(operation, plan, budget)) {
      return false;
    }
    ClientRules now = operation.knownRules(control);
    if (now == null) {
      MembershipLookup going = lookup;
      if (going == null) {
        going = control.lookUp(operation.clientFacts());
        lookup = going;
      }
      now = going.go(plan.pace().begin(operation, budget));
    }
    if (now == null) {
      return false;
    }
    lookup = null;
    proxy = null;
    areOthers |= !now.areSameAs(rights.entries().rules());
    rights.decideBy(control.rightsBy(now));
    return true;
  }

  /**
   * Returns whether the client has got other rights, and not the same ones by other groups, since
   * the last call.
   */
  public boolean takesOthers() {
    boolean were = areOthers;
    areOthers = false;
    return were;
  }

  /** Returns whether a client that acts as another still may; false if the slice ends before. */
  private boolean mayStillAct(Operation operation, SearchPlan plan, SliceBudget budget)
      throws LdapOperationException {
    BoundIdentity requester = operation.requester();
    if (requester == null) {
      return true;
    }
    ProxyRight asked = proxy;
    if (asked == null) {
      asked =
          new ProxyRight(
              plan.directory(), requester, operation.clientFacts(requester), operation.identity());
      proxy = asked;
    }
    return asked.go(plan.pace().begin(operation, budget));
  }

  /**
   * Ends the search of a user who may no longer read: it would otherwise go on for ever.
   *
   * @throws LdapOperationException insufficientAccessRights if that is so
   */
  public static void requireReader(OperationContext now, BoundIdentity identity)
      throws LdapOperationException {
    boolean isStill = !identity.isRoot() || now.roots().isStillRoot(identity);
    if (!isStill || !now.mayReadEntries(identity)) {
      throw new LdapOperationException(
          ResultCode.INSUFFICIENT_ACCESS_RIGHTS, "the rights to read were taken away");
    }
  }
}
