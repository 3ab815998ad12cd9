/**
 * Entries that no store holds: root DSE, subschema, and trees of the server's own.
 *
 * <p>Public face: {@link VirtualEntries}, {@link VirtualTree}.
 */
@NullMarked
package org.nyala.core.directory.virtual;

import org.jspecify.annotations.NullMarked;
