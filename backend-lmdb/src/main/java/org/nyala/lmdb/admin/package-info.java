/**
 * Backup, restore, verification and measures of a data directory.
 *
 * <p>Public face: {@link StoreBackup}, {@link StoreRestore}, {@link StoreVerifier}.
 *
 * <p>Imports: {@code core.access}, {@code core.backend}, {@code core.bytes}, {@code core.dn},
 * {@code core.entry}, {@code core.schema}, {@code core.schema.load}, {@code lmdb}, {@code
 * lmdb.env}, {@code lmdb.format}, {@code lmdb.journal}, {@code lmdb.posting}, {@code
 * lmdb.rejection}, {@code lmdb.write}.
 */
@NullMarked
package org.nyala.lmdb.admin;

import org.jspecify.annotations.NullMarked;
