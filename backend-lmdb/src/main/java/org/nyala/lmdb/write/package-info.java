/**
 * The change of one entry in all databases, and the building of indexes while serving.
 *
 * <p>Public face: {@link EntryChanger} and {@link IndexWorker}.
 *
 * <p>Imports: {@code core.access}, {@code core.backend}, {@code core.bytes}, {@code core.dn},
 * {@code core.entry}, {@code core.schema}, {@code lmdb.env}, {@code lmdb.format}, {@code
 * lmdb.posting}.
 */
@NullMarked
package org.nyala.lmdb.write;

import org.jspecify.annotations.NullMarked;
