/**
 * Entries that no store holds: root DSE, subschema, and trees of the server's own.
 *
 * <p>Public face: {@link VirtualEntries}, {@link VirtualTree}.
 *
 * <p>Imports: {@code core.dn}, {@code core.entry}, {@code core.filter}, {@code core.provider},
 * {@code core.sasl}, {@code core.schema}.
 */
@NullMarked
package org.nyala.core.directory.virtual;

import org.jspecify.annotations.NullMarked;
