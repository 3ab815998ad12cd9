/**
 * The foundation of commands: common options, the connection to a running server, output files,
 * progress.
 *
 * <p>Public face: {@link DataCommand} and {@link NyalaCommand}, which commands extend.
 */
@NullMarked
package org.nyala.cli.command;

import org.jspecify.annotations.NullMarked;
