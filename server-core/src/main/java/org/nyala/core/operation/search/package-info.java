/**
 * Searches in the order of the store, persistent searches, and searches among computed entries.
 *
 * <p>Public face: {@link SearchPlan}, {@link SearchWalk} and {@link PersistentSearchStage}.
 *
 * <p>Imports: {@code core.access}, {@code core.access.decide}, {@code core.access.rule}, {@code
 * core.backend}, {@code core.ber}, {@code core.budget}, {@code core.bytes}, {@code core.control},
 * {@code core.directory}, {@code core.directory.virtual}, {@code core.dispatch}, {@code core.dn},
 * {@code core.entry}, {@code core.filter}, {@code core.integrity}, {@code core.limits}, {@code
 * core.message}, {@code core.metrics}, {@code core.operation.dereference}, {@code
 * core.operation.values}, {@code core.policy}, {@code core.rights}, {@code core.schema}, {@code
 * core.session}, {@code core.update}.
 */
@NullMarked
package org.nyala.core.operation.search;

import org.jspecify.annotations.NullMarked;
