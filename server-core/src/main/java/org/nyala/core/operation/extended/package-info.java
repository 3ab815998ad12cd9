/**
 * Extended operations, from Who am I to StartTLS, and the request of Password Modify.
 *
 * <p>Public face: {@link ExtendedOperation}, the registry, {@link AuthorizationIds} and {@link
 * PasswordModifyRequest}.
 */
@NullMarked
package org.nyala.core.operation.extended;

import org.jspecify.annotations.NullMarked;
