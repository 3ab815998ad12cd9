/**
 * The records that an import leaves out: by cause, by the names that nothing defines, by demand.
 *
 * <p>Public face: {@link UndefinedName}.
 *
 * <p>Imports: {@code core.bytes}, {@code core.dn}, {@code core.entry}, {@code core.ldif}, {@code
 * core.schema}, {@code lmdb.format}.
 */
@NullMarked
package org.nyala.lmdb.rejection;

import org.jspecify.annotations.NullMarked;
