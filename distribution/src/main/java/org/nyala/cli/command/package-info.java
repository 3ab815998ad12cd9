/**
 * The foundation of commands: options that several have, the connection to a running server, files
 * written and progress shown.
 *
 * <p>Public face: {@link DataCommand} and {@link NyalaCommand}, which commands extend.
 *
 * <p>Imports: {@code config}, {@code error}, {@code lmdb.env}, {@code lmdb.ldif}, {@code
 * management.bean}, {@code netty}, {@code netty.tls}, {@code replica}, {@code service}.
 */
@NullMarked
package org.nyala.cli.command;

import org.jspecify.annotations.NullMarked;
