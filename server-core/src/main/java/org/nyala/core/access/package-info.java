/**
 * Identities of connections, the policy that says what each may do, and the budgets of those who
 * guess passwords.
 *
 * <p>Public face: {@link AccessPolicy}, {@link BoundIdentity} and {@link GuessBudgets}.
 */
@NullMarked
package org.nyala.core.access;

import org.jspecify.annotations.NullMarked;
