/**
 * The parts of operations that passwords have: attempts and logins by the policies of accounts, new
 * passwords and their terms, and passwords in clear text in updates.
 *
 * <p>Public face: {@link AccountGuard}, {@link PolicyLogin} and {@link ClearPasswords}.
 *
 * <p>Imports: {@code core.access}, {@code core.backend}, {@code core.control}, {@code
 * core.directory}, {@code core.dn}, {@code core.entry}, {@code core.integrity}, {@code
 * core.limits}, {@code core.message}, {@code core.metrics}, {@code core.password}, {@code
 * core.policy}, {@code core.quality}, {@code core.rules}, {@code core.schema}, {@code
 * core.session}, {@code core.update}.
 */
@NullMarked
package org.nyala.core.operation.password;

import org.jspecify.annotations.NullMarked;
