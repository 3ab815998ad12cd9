/**
 * Stored passwords: hash formats, their bounds, and verification in slices.
 *
 * <p>Public face: {@link PasswordHash} and {@link PasswordScheme}.
 *
 * <p>Imports: {@code core.bytes}, {@code core.schema}, {@code core.yescrypt}.
 */
@NullMarked
package org.nyala.core.password;

import org.jspecify.annotations.NullMarked;
