/**
 * The format on disk: keys, records of the meta database, definitions of indexes.
 *
 * <p>Public face: {@link StoreMeta} and {@link StoreLayout}.
 */
@NullMarked
package org.nyala.lmdb.format;

import org.jspecify.annotations.NullMarked;
