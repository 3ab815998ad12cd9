package org.nyala.core.control;

import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Scope;

/** The choice between entries and subentries in the results of a search (RFC 3672, section 3). */
public enum SubentryVisibility {
  /** Without the control: entries, and a subentry that is the base of a base search. */
  AS_BASE,
  /** With the control, FALSE: entries. */
  HIDDEN,
  /** With the control, TRUE: subentries. */
  ALONE,
  /** For a copy that manages everything: entries and subentries. */
  BOTH;

  /**
   * Returns the choice in the controls of a request.
   *
   * @throws LdapOperationException protocolError if the value of the control is no Boolean
   */
  public static SubentryVisibility read(RequestControls controls) throws LdapOperationException {
    Boolean visible = controls.decode(ControlType.SUBENTRIES, in -> in.bool());
    if (visible == null) {
      boolean copiesAll =
          controls.has(ControlType.SYNC_REQUEST) && controls.has(ControlType.MANAGE_DSA_IT);
      return copiesAll ? BOTH : AS_BASE;
    }
    return visible ? ALONE : HIDDEN;
  }

  /** Returns whether a search of this scope passes over an entry or a subentry. */
  public boolean hides(boolean isSubentry, Scope scope) {
    return switch (this) {
      case AS_BASE -> isSubentry && scope != Scope.BASE;
      case HIDDEN -> isSubentry;
      case ALONE -> !isSubentry;
      case BOTH -> false;
    };
  }
}
