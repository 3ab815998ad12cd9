/**
 * Stored passwords: hash formats, their bounds, and verification in slices.
 *
 * <p>Public face: {@link PasswordHash} and {@link PasswordScheme}.
 */
@NullMarked
package org.nyala.core.password;

import org.jspecify.annotations.NullMarked;
