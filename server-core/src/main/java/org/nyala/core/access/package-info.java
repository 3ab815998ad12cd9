/**
 * Identities of connections, the policy that says what each may do, and limits on guessing
 * passwords.
 *
 * <p>Public face: {@link AccessPolicy} and {@link BoundIdentity}.
 */
@NullMarked
package org.nyala.core.access;

import org.jspecify.annotations.NullMarked;
