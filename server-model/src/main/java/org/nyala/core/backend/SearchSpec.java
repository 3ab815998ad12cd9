package org.nyala.core.backend;

import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.Scope;

/**
 * The search that a cursor carries out.
 *
 * <p>Thread-safe.
 *
 * @param baseId the entry id of the base; {@link ReadTransaction#NO_ENTRY} with the scope {@link
 *     Scope#SUBTREE} for every entry of the store
 * @param scope the scope of the search; aliases are not followed
 * @param filter the filter that entries must match
 * @param withReferrals true if referral objects in scope are returned too, matching or not
 * @param withAliases true if alias entries in scope are returned too, matching or not
 * @param memory the account that is charged for large intermediate results of the store; null for
 *     the server itself
 */
public record SearchSpec(
    long baseId,
    Scope scope,
    CompiledFilter filter,
    boolean withReferrals,
    boolean withAliases,
    @Nullable MemoryAccount memory) {
  /** Creates a search on behalf of the server itself. */
  public SearchSpec(
      long baseId, Scope scope, CompiledFilter filter, boolean withReferrals, boolean withAliases) {
    this(baseId, scope, filter, withReferrals, withAliases, null);
  }
}
