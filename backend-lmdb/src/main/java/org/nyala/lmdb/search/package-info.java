/**
 * Plans of candidates over the indexes, block by block, and the cache of look-ups of one value.
 *
 * <p>Public face: {@link CandidatePlanner} and {@link LookupCache}.
 *
 * <p>Internal to its module.
 */
@NullMarked
package org.nyala.lmdb.search;

import org.jspecify.annotations.NullMarked;
