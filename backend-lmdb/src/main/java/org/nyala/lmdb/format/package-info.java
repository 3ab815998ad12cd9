/**
 * The format on disk: keys, records of the meta database, definitions of indexes.
 *
 * <p>Public face: {@link StoreMeta} and {@link StoreLayout}.
 *
 * <p>Imports: {@code core.backend}, {@code core.bytes}, {@code core.dn}, {@code core.entry}, {@code
 * core.filter}, {@code core.schema}, {@code core.schema.load}, {@code lmdb.env}.
 */
@NullMarked
package org.nyala.lmdb.format;

import org.jspecify.annotations.NullMarked;
