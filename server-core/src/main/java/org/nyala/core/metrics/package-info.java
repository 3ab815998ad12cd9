/**
 * Counters and latency histograms of operations.
 *
 * <p>Public face: {@link ServerMetrics}.
 *
 * <p>Imports: {@code core.budget}, {@code core.dispatch}, {@code core.message}.
 */
@NullMarked
package org.nyala.core.metrics;

import org.jspecify.annotations.NullMarked;
