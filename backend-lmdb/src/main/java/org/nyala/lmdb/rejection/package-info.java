/**
 * The records that an import leaves out: by cause, by the names that nothing defines, by demand.
 *
 * <p>Public face: {@link UndefinedName}.
 */
@NullMarked
package org.nyala.lmdb.rejection;

import org.jspecify.annotations.NullMarked;
