/**
 * Identities of connections, and the policy that says what each may do.
 *
 * <p>Public face: {@link AccessPolicy} and {@link BoundIdentity}.
 *
 * <p>Imports: {@code core.dn}, {@code core.sasl}, {@code core.schema}.
 */
@NullMarked
package org.nyala.core.access;

import org.jspecify.annotations.NullMarked;
