/**
 * Exit codes, errors as administrators see them, and the facts about the program that these need:
 * version, installation, origin of settings.
 *
 * <p>Public face: {@link ExitCode} and {@link ErrorMessages}.
 */
@NullMarked
package org.nyala.error;

import org.jspecify.annotations.NullMarked;
