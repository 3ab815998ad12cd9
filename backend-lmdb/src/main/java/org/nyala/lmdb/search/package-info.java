/**
 * Plans of candidates over the indexes, block by block, and the cache of look-ups of one value.
 *
 * <p>Public face: {@link CandidatePlanner} and {@link LookupCache}.
 *
 * <p>Imports: {@code core.backend}, {@code core.budget}, {@code core.bytes}, {@code core.dn},
 * {@code core.entry}, {@code core.filter}, {@code core.schema}, {@code lmdb.env}, {@code
 * lmdb.format}, {@code lmdb.posting}.
 */
@NullMarked
package org.nyala.lmdb.search;

import org.jspecify.annotations.NullMarked;
