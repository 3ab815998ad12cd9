/**
 * The store on LMDB: readers, cursors, the writer.
 *
 * <p>Public face: {@link LmdbBackend}.
 */
@NullMarked
package org.nyala.lmdb;

import org.jspecify.annotations.NullMarked;
