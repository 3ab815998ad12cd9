/**
 * Counters and latency histograms of operations.
 *
 * <p>Public face: {@link ServerMetrics}.
 */
@NullMarked
package org.nyala.core.metrics;

import org.jspecify.annotations.NullMarked;
