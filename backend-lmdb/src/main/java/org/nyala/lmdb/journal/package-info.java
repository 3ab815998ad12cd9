/**
 * The journal of changes: one row for each changed entry, written in the transaction of the change
 * and trimmed at its old end.
 *
 * <p>Public face: {@link JournalWriter} and {@link JournalReader}; {@link ModificationReader} for
 * the modifications that the changes consist of, if they are kept.
 */
@NullMarked
package org.nyala.lmdb.journal;

import org.jspecify.annotations.NullMarked;
