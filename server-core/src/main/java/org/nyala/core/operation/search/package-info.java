/**
 * Searches in store order, and searches among computed entries.
 *
 * <p>Public face: {@link SearchPlan} and {@link SearchWalk}.
 */
@NullMarked
package org.nyala.core.operation.search;

import org.jspecify.annotations.NullMarked;
