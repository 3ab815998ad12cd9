/**
 * The command line: one class for each command.
 *
 * <p>Public face: {@link Main}.
 *
 * <p>Imports: {@code config}, {@code core.access}, {@code core.bytes}, {@code core.contention},
 * {@code core.directory}, {@code core.dn}, {@code core.filter}, {@code core.ldif}, {@code
 * core.limits}, {@code core.message}, {@code core.password}, {@code core.schema}, {@code
 * core.schema.load}, {@code error}, {@code lmdb}, {@code lmdb.admin}, {@code lmdb.env}, {@code
 * lmdb.explain}, {@code lmdb.format}, {@code lmdb.ldif}, {@code management}, {@code
 * management.bean}, {@code management.jmxport}, {@code management.meter}, {@code netty}, {@code
 * server}, {@code service}.
 */
@NullMarked
package org.nyala.cli;

import org.jspecify.annotations.NullMarked;
