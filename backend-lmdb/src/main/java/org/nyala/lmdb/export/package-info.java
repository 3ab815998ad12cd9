/**
 * The data as LDIF at one moment, and the changes since another.
 *
 * <p>Public face: {@link LdifExport} and {@link ChangesExport}.
 */
@NullMarked
package org.nyala.lmdb.export;

import org.jspecify.annotations.NullMarked;
