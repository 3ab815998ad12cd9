/**
 * The LMDB environment: transactions, cursors, map size, locks and files. The only package that
 * calls LMDB.
 *
 * <p>Public face: {@link LmdbEnvironment} and {@link TxnHandle}.
 */
@NullMarked
package org.nyala.lmdb.env;

import org.jspecify.annotations.NullMarked;
