/**
 * The command line: its main class, and the commands that start and stop a server or need none.
 *
 * <p>Public face: {@link Main}.
 */
@NullMarked
package org.nyala.cli;

import org.jspecify.annotations.NullMarked;
