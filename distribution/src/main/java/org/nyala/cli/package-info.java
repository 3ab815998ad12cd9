/**
 * The command line: one class for each command.
 *
 * <p>Public face: {@link Main}.
 */
@NullMarked
package org.nyala.cli;

import org.jspecify.annotations.NullMarked;
