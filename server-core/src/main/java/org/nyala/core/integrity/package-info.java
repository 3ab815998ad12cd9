/**
 * Rules over more than one entry: uniqueness, referential integrity, memberOf.
 *
 * <p>Public face: {@link Integrity}.
 *
 * <p>Imports: {@code core.access}, {@code core.backend}, {@code core.bytes}, {@code core.dn},
 * {@code core.entry}, {@code core.filter}, {@code core.message}, {@code core.rules}, {@code
 * core.schema}.
 */
@NullMarked
package org.nyala.core.integrity;

import org.jspecify.annotations.NullMarked;
