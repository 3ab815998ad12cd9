/**
 * The comparison of the entries of two places: servers by permanent identifiers, and servers, data
 * directories and LDIF files by names.
 *
 * <p>Public face: {@link ServerComparison}, {@link ContentComparison} and {@link EntrySource}.
 *
 * <p>Imports: {@code core.backend}, {@code core.bytes}, {@code core.dn}, {@code core.entry}, {@code
 * core.filter}, {@code core.ldif}, {@code core.limits}, {@code core.message}, {@code
 * core.provider}, {@code core.schema}, {@code error}, {@code lmdb}, {@code lmdb.env}, {@code log},
 * {@code replica}.
 */
@NullMarked
package org.nyala.comparison;

import org.jspecify.annotations.NullMarked;
