/**
 * The records that an import leaves out, by cause.
 *
 * <p>Public face: {@link UndefinedName}.
 */
@NullMarked
package org.nyala.lmdb.rejection;

import org.jspecify.annotations.NullMarked;
