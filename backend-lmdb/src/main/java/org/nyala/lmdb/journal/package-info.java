/**
 * The journal of changes: one row for each change of an entry, written by the commit of the change
 * itself and trimmed from its beginning.
 *
 * <p>Public face: {@link JournalWriter} and {@link JournalReader}; {@link ModificationReader} for
 * the modifications that the changes consist of, if they are kept.
 */
@NullMarked
package org.nyala.lmdb.journal;

import org.jspecify.annotations.NullMarked;
