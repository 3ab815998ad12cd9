/**
 * The data as LDIF as of one moment, and the changes since another.
 *
 * <p>Public face: {@link LdifExport} and {@link ChangesExport}.
 *
 * <p>Imports: {@code core.backend}, {@code core.dn}, {@code core.entry}, {@code core.filter},
 * {@code core.integrity}, {@code core.ldif}, {@code core.message}, {@code core.provider}, {@code
 * core.schema}, {@code lmdb}, {@code lmdb.env}, {@code lmdb.format}, {@code lmdb.journal}.
 */
@NullMarked
package org.nyala.lmdb.export;

import org.jspecify.annotations.NullMarked;
