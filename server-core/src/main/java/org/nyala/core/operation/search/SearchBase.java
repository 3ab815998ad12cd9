package org.nyala.core.operation.search;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.ClientView;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryMatch;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.rights.Profile;
import org.nyala.core.rights.Right;

/**
 * The base of a search under access rules: without the right to search it, nothing is searched.
 *
 * <p>Immutable.
 *
 * @param required the test that the base has to meet, as far as the client may make it; null for
 *     none
 */
public record SearchBase(@Nullable EntryMatch required) {
  /**
   * Finds the rights to the base, and aims the plan.
   *
   * @param rights the client's part of the search
   * @param also the filter that controls add; null for none
   * @return null if the slice ends before
   * @throws LdapOperationException as if there were no such entry, if the client may not know of it
   */
  public static @Nullable SearchBase judge(
      SearchPlan plan,
      SearchRights rights,
      ClientView known,
      ReadTransaction transaction,
      Dn name,
      long baseId,
      @Nullable CompiledFilter also)
      throws LdapOperationException {
    AttributeTable attributes = transaction.attributes();
    Profile base = known.rightsTo(name, baseId, plan.pace());
    if (base == null) {
      return null;
    }
    if (!base.allowsEntry(Right.SEARCH)) {
      throw known.refusal(name, base);
    }
    boolean isAimed =
        rights.hideGroups(transaction, plan.pace()) && plan.filter().aim(name, attributes, also);
    return isAimed ? new SearchBase(rights.assertion(base, attributes)) : null;
  }
}
