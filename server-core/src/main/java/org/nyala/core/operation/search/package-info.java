/**
 * Searches in store order, persistent searches, and searches among computed entries.
 *
 * <p>Public face: {@link SearchPlan}, {@link SearchWalk} and {@link PersistentSearchStage}.
 */
@NullMarked
package org.nyala.core.operation.search;

import org.jspecify.annotations.NullMarked;
