package org.nyala.core.integrity;

import java.util.List;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;

/**
 * Something that every change must keep to, or that follows from it, beyond the entry itself:
 * uniqueness, referential integrity.
 *
 * <p>Thread-safe.
 */
public interface ChangeRule {
  /**
   * Checks a change before it is applied.
   *
   * @param transaction the state before the change
   * @param change the change about to be applied
   * @param cause the reason for the change
   * @param derived receives the changes that must follow it, to entries as they are named after it;
   *     they are applied after it, stamped like any change, and not checked again
   * @param pace checked at each look-up and after a number of entries; once it ends, the rule need
   *     not find anything more, and the change is refused
   * @throws LdapOperationException to refuse the change
   */
  void check(
      ReadTransaction transaction,
      ResolvedChange change,
      ChangeCause cause,
      List<ResolvedChange.Modify> derived,
      Pace pace)
      throws LdapOperationException;
}
