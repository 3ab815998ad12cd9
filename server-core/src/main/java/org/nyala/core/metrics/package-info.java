/**
 * What operations cost: counts by kind and result, and the time that each phase takes.
 *
 * <p>Priorities in order: cost nothing on the way of a request; lose nothing; be read easily.
 * Critical path: {@link OperationRecorder#completed}.
 */
@NullMarked
package org.nyala.core.metrics;

import org.jspecify.annotations.NullMarked;
