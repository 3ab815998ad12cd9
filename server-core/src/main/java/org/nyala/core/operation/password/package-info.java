/**
 * The parts of operations that passwords have: attempts and logins by the policies of accounts, new
 * passwords and their terms, and passwords in clear text in updates.
 *
 * <p>Public face: {@link AccountGuard}, {@link PolicyLogin} and {@link ClearPasswords}.
 *
 * <p>Internal to its module.
 */
@NullMarked
package org.nyala.core.operation.password;

import org.jspecify.annotations.NullMarked;
