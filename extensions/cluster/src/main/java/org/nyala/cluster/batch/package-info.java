/**
 * The entries of a cluster's log: batches of recorded changes, their bounded form in bytes, and
 * their application.
 *
 * <p>Public face: {@link BatchWriter}, {@link BatchReader}, {@link BatchApplier}.
 */
@NullMarked
package org.nyala.cluster.batch;

import org.jspecify.annotations.NullMarked;
