/**
 * The change of one entry in all databases, and the building of indexes while the server runs.
 *
 * <p>Public face: {@link EntryChanger} and {@link IndexWorker}.
 *
 * <p>Internal to its module.
 */
@NullMarked
package org.nyala.lmdb.write;

import org.jspecify.annotations.NullMarked;
