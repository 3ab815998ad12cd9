package org.nyala.core.accounts;

import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;

/**
 * The client of a change, as the password policy of the entry looks at it.
 *
 * <p>Immutable.
 *
 * @param isOwner true if the entry is its own
 * @param isAdministrator true if it manages passwords, so that nothing is demanded of it
 * @param checkedBy the policy that has looked at all new passwords in clear text; null for none
 * @param provesOld true if it has sent the present password
 */
public record PasswordClient(
    boolean isOwner, boolean isAdministrator, @Nullable Dn checkedBy, boolean provesOld) {}
