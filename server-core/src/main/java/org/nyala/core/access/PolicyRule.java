package org.nyala.core.access;

import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;

/**
 * A rule that chooses the password policy of entries that name none: the first one that fits does.
 *
 * <p>Immutable.
 *
 * @param subtree the name at and below which entries are; null for any
 * @param filter the filter that they match, as text (RFC 4515); null for any
 * @param group the group that lists them as {@code member} or {@code uniqueMember}; null for any
 * @param policy the name of the policy
 */
public record PolicyRule(
    @Nullable Dn subtree, @Nullable String filter, @Nullable Dn group, Dn policy) {}
