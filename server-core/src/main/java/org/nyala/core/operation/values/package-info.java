/**
 * The attributes of entries that are not sent as they are stored: those that no store holds, and
 * those of which only some values are shown.
 *
 * <p>Public face: {@link ComputedValues} and {@link MatchedValues}.
 *
 * <p>Imports: {@code core.access}, {@code core.backend}, {@code core.ber}, {@code core.budget},
 * {@code core.bytes}, {@code core.control}, {@code core.directory}, {@code core.dn}, {@code
 * core.entry}, {@code core.filter}, {@code core.integrity}, {@code core.message}, {@code
 * core.policy}, {@code core.provider}, {@code core.rights}, {@code core.schema}, {@code
 * core.session}.
 */
@NullMarked
package org.nyala.core.operation.values;

import org.jspecify.annotations.NullMarked;
