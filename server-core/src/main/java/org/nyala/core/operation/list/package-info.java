/**
 * Sorted, paged and virtual-list searches over a list that is made once.
 *
 * <p>Public face: {@link SortedSearch}.
 *
 * <p>Imports: {@code core.access}, {@code core.backend}, {@code core.budget}, {@code core.bytes},
 * {@code core.control}, {@code core.directory}, {@code core.dispatch}, {@code core.dn}, {@code
 * core.entry}, {@code core.filter}, {@code core.message}, {@code core.metrics}, {@code
 * core.operation.search}, {@code core.provider}, {@code core.schema}, {@code core.session}.
 */
@NullMarked
package org.nyala.core.operation.list;

import org.jspecify.annotations.NullMarked;
