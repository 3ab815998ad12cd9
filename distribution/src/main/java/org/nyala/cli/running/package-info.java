/**
 * The commands that observe and control a running server: one class for each.
 *
 * <p>Public face: The commands.
 */
@NullMarked
package org.nyala.cli.running;

import org.jspecify.annotations.NullMarked;
