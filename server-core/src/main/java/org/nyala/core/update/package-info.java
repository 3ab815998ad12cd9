/**
 * The single writer: queue, group commit, feed of changes.
 *
 * <p>Public face: {@link ChangeWriter} and {@link ChangeFeed}.
 *
 * <p>Imports: {@code core.access}, {@code core.backend}, {@code core.budget}, {@code
 * core.contention}, {@code core.dn}, {@code core.entry}, {@code core.filter}, {@code
 * core.integrity}, {@code core.message}, {@code core.schema}, {@code core.schema.load}.
 */
@NullMarked
package org.nyala.core.update;

import org.jspecify.annotations.NullMarked;
