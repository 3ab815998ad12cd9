/**
 * The move from slapd: its configuration, schema and data read, and a configuration of Nyala with a
 * report made of them.
 *
 * <p>Public face: {@link Migration}, {@link MigrationReport}, {@link DirectiveTable}. Nothing in it
 * runs while a server serves.
 *
 * <p>Imports: {@code config}, {@code core.access.rule}, {@code core.access.slapd}, {@code
 * core.bytes}, {@code core.dn}, {@code core.ldif}, {@code core.password}, {@code core.provider},
 * {@code core.sasl}, {@code core.schema}, {@code core.schema.load}, {@code core.slapd}, {@code
 * error}, {@code importcheck}, {@code lmdb.env}, {@code lmdb.format}, {@code lmdb.ldif}, {@code
 * replica}, {@code server}.
 */
@NullMarked
package org.nyala.migrate;

import org.jspecify.annotations.NullMarked;
