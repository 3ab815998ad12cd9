package org.nyala.core.backend;

import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.Scope;

/**
 * What a cursor looks for.
 *
 * <p>Thread-safe.
 *
 * @param baseId the entry id of the base; {@link ReadTransaction#NO_ENTRY} with the scope {@link
 *     Scope#SUBTREE} for every entry of the store
 * @param scope which entries to look at; aliases are not followed
 * @param filter what they should match
 * @param withReferrals whether referral objects in scope come too, whether they match or not
 * @param withAliases whether alias entries in scope come too, whether they match or not
 * @param memory on whose behalf the store keeps what it works out, where that is much; null for the
 *     server itself
 */
public record SearchSpec(
    long baseId,
    Scope scope,
    CompiledFilter filter,
    boolean withReferrals,
    boolean withAliases,
    @Nullable MemoryAccount memory) {
  /** Looks on behalf of the server itself. */
  public SearchSpec(
      long baseId, Scope scope, CompiledFilter filter, boolean withReferrals, boolean withAliases) {
    this(baseId, scope, filter, withReferrals, withAliases, null);
  }
}
