/**
 * The commands that observe and control a running server: one class for each.
 *
 * <p>Public face: the commands.
 */
@NullMarked
package org.nyala.cli.running;

import org.jspecify.annotations.NullMarked;
