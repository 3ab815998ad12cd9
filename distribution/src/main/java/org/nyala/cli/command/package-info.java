/**
 * The foundation of commands: options that several have, the connection to a running server, files
 * written and progress shown.
 *
 * <p>Public face: {@link DataCommand} and {@link NyalaCommand}, which commands extend.
 */
@NullMarked
package org.nyala.cli.command;

import org.jspecify.annotations.NullMarked;
