/**
 * The commands that observe and control a running server: one class for each.
 *
 * <p>Public face: The commands.
 *
 * <p>Imports: {@code cli.command}, {@code comparison}, {@code config}, {@code core.backend}, {@code
 * core.contention}, {@code core.dn}, {@code core.message}, {@code error}, {@code lmdb}, {@code
 * lmdb.env}, {@code lmdb.explain}, {@code management.bean}, {@code management.meter}, {@code
 * netty}, {@code netty.tls}, {@code replica}, {@code server}, {@code service}.
 */
@NullMarked
package org.nyala.cli.running;

import org.jspecify.annotations.NullMarked;
