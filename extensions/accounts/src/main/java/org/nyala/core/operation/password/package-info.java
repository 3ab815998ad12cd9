/**
 * Passwords in operations: attempts and logins under password policies, checks of new passwords,
 * clear text in updates, Password Modify.
 *
 * <p>Public face: {@link AccountGuard}, {@link PasswordModifyOperation} and {@link ClearPasswords}.
 *
 * <p>Internal to its module.
 */
@NullMarked
package org.nyala.core.operation.password;

import org.jspecify.annotations.NullMarked;
