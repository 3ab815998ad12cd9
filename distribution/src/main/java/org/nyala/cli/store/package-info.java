/**
 * The commands that work on a data directory, in use or not: one class for each.
 *
 * <p>Public face: The commands.
 *
 * <p>Imports: {@code cli.command}, {@code comparison}, {@code config}, {@code core.backend}, {@code
 * core.dn}, {@code core.filter}, {@code core.integrity}, {@code core.ldif}, {@code core.limits},
 * {@code core.provider}, {@code core.schema}, {@code core.schema.load}, {@code error}, {@code
 * importcheck}, {@code lmdb}, {@code lmdb.admin}, {@code lmdb.env}, {@code lmdb.export}, {@code
 * lmdb.journal}, {@code lmdb.ldif}, {@code log}, {@code management.bean}, {@code replica}, {@code
 * server}, {@code service}.
 */
@NullMarked
package org.nyala.cli.store;

import org.jspecify.annotations.NullMarked;
