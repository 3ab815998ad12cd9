/**
 * Explanation of searches, and advice on indexes.
 *
 * <p>Public face: {@link SearchExplainer}.
 */
@NullMarked
package org.nyala.lmdb.explain;

import org.jspecify.annotations.NullMarked;
