/**
 * The LMDB environment: transactions, cursors, map size, locks and files. The only package that
 * calls LMDB.
 *
 * <p>Public face: {@link LmdbEnvironment} and {@link TxnHandle}.
 *
 * <p>Imports: {@code core.backend}, {@code core.bytes}, {@code core.metrics}.
 */
@NullMarked
package org.nyala.lmdb.env;

import org.jspecify.annotations.NullMarked;
