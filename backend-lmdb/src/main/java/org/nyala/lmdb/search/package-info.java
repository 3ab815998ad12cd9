/**
 * Plans of candidates over the indexes, evaluated block by block, and a cache of look-ups of single
 * values.
 *
 * <p>Public face: {@link CandidatePlanner} and {@link LookupCache}.
 *
 * <p>Internal to its module.
 */
@NullMarked
package org.nyala.lmdb.search;

import org.jspecify.annotations.NullMarked;
