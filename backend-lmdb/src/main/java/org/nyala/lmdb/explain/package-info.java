/**
 * Explanation of searches, and advice on indexes.
 *
 * <p>Public face: {@link SearchExplainer}.
 *
 * <p>Imports: {@code core.backend}, {@code core.budget}, {@code core.dn}, {@code core.entry},
 * {@code core.filter}, {@code core.integrity}, {@code core.message}, {@code core.schema}, {@code
 * core.schema.load}, {@code lmdb}, {@code lmdb.env}, {@code lmdb.format}, {@code lmdb.posting},
 * {@code lmdb.search}, {@code lmdb.write}.
 */
@NullMarked
package org.nyala.lmdb.explain;

import org.jspecify.annotations.NullMarked;
