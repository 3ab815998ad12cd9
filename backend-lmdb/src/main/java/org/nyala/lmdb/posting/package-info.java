/**
 * Sets of entry ids in chunks of one block each, and their sorting for bulk loads.
 *
 * <p>Public face: {@link PostingReader}, {@link PostingWriter} and {@link BlockSet}.
 *
 * <p>Internal to its module.
 */
@NullMarked
package org.nyala.lmdb.posting;

import org.jspecify.annotations.NullMarked;
