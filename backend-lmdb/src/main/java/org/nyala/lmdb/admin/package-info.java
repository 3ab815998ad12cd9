/**
 * Backup, restore, verification and measures of a data directory.
 *
 * <p>Public face: {@link StoreBackup}, {@link StoreRestore}, {@link StoreVerifier}.
 */
@NullMarked
package org.nyala.lmdb.admin;

import org.jspecify.annotations.NullMarked;
