/**
 * Exit codes, and failures that are told to administrators.
 *
 * <p>Public face: {@link ExitCode} and {@link Failures}.
 */
@NullMarked
package org.nyala.error;

import org.jspecify.annotations.NullMarked;
