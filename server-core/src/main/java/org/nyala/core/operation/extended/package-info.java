/**
 * Extended operations, from Who am I to Refresh, and the request of Password Modify.
 *
 * <p>Public face: {@link ExtendedOperation}, the registry, {@link AuthorizationIds} and {@link
 * PasswordModifyRequest}.
 */
@NullMarked
package org.nyala.core.operation.extended;

import org.jspecify.annotations.NullMarked;
