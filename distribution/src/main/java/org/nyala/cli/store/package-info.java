/**
 * The commands that work on a data directory, in use or not: one class for each.
 *
 * <p>Public face: the commands.
 */
@NullMarked
package org.nyala.cli.store;

import org.jspecify.annotations.NullMarked;
