/**
 * Bulk import aside of the data in use.
 *
 * <p>Public face: {@link LdifImport}.
 *
 * <p>Imports: {@code core.access}, {@code core.backend}, {@code core.bytes}, {@code
 * core.contention}, {@code core.dn}, {@code core.entry}, {@code core.ldif}, {@code core.limits},
 * {@code core.message}, {@code core.password}, {@code core.provider}, {@code core.schema}, {@code
 * core.schema.load}, {@code lmdb}, {@code lmdb.env}, {@code lmdb.format}, {@code lmdb.journal},
 * {@code lmdb.posting}, {@code lmdb.rejection}, {@code lmdb.write}.
 */
@NullMarked
package org.nyala.lmdb.ldif;

import org.jspecify.annotations.NullMarked;
