/**
 * The store on LMDB: readers, cursors, the writer.
 *
 * <p>Public face: {@link LmdbBackend}.
 *
 * <p>Imports: {@code core.backend}, {@code core.budget}, {@code core.bytes}, {@code core.dn},
 * {@code core.entry}, {@code core.filter}, {@code core.message}, {@code core.metrics}, {@code
 * core.schema}, {@code core.schema.load}, {@code lmdb.env}, {@code lmdb.format}, {@code
 * lmdb.journal}, {@code lmdb.posting}, {@code lmdb.search}, {@code lmdb.write}.
 */
@NullMarked
package org.nyala.lmdb;

import org.jspecify.annotations.NullMarked;
