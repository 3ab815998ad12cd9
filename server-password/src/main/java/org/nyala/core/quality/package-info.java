/**
 * Checks of new passwords in clear text: length, attributes of the account, an estimate of the
 * guesses needed, and a list of breached passwords, which tools here make.
 *
 * <p>Public face: {@link PasswordChecks}, {@link BreachedPasswords} and {@link
 * BreachedListBuilder}.
 */
@NullMarked
package org.nyala.core.quality;

import org.jspecify.annotations.NullMarked;
