/**
 * Exit codes, failures for administrators, and the facts about the program that these need: its
 * version, its installation, and the origin of settings; the hosts that are this machine.
 *
 * <p>Public face: {@link ExitCode} and {@link ErrorMessages}.
 */
@NullMarked
package org.nyala.error;

import org.jspecify.annotations.NullMarked;
