/**
 * The command line: its main class, and the commands that start and stop a server or need none.
 *
 * <p>Public face: {@link Main}.
 *
 * <p>Imports: {@code cli.command}, {@code cli.running}, {@code cli.store}, {@code config}, {@code
 * core.access}, {@code core.access.check}, {@code core.access.decide}, {@code core.access.rule},
 * {@code core.access.slapd}, {@code core.backend}, {@code core.ber}, {@code core.bytes}, {@code
 * core.directory}, {@code core.dn}, {@code core.entry}, {@code core.filter}, {@code
 * core.integrity}, {@code core.message}, {@code core.operation.extended}, {@code core.password},
 * {@code core.quality}, {@code core.rights}, {@code core.sasl}, {@code core.schema}, {@code
 * core.schema.load}, {@code core.slapd}, {@code error}, {@code importcheck}, {@code lmdb}, {@code
 * lmdb.env}, {@code lmdb.format}, {@code lmdb.ldif}, {@code management}, {@code
 * management.jmxport}, {@code migrate}, {@code netty}, {@code netty.accept}, {@code netty.tls},
 * {@code server}, {@code service}.
 */
@NullMarked
package org.nyala.cli;

import org.jspecify.annotations.NullMarked;
