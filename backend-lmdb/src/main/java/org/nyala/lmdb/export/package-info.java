/**
 * The data as LDIF, as of one moment.
 *
 * <p>Public face: {@link LdifExport}.
 *
 * <p>Imports: {@code core.backend}, {@code core.dn}, {@code core.entry}, {@code core.filter},
 * {@code core.ldif}, {@code core.message}, {@code core.schema}, {@code lmdb}, {@code lmdb.env}.
 */
@NullMarked
package org.nyala.lmdb.export;

import org.jspecify.annotations.NullMarked;
