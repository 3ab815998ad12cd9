/**
 * Checks of new passwords in clear text: their length, the attributes of the account, an estimate
 * of the guesses that they take, and a list of breached passwords, with the tools that make such a
 * list.
 *
 * <p>Public face: {@link PasswordChecks}, {@link BreachedPasswords} and {@link
 * BreachedListBuilder}.
 */
@NullMarked
package org.nyala.core.quality;

import org.jspecify.annotations.NullMarked;
