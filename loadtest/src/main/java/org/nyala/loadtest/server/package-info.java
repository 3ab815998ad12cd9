/**
 * The figures and settings that a server states about itself: its identity, how it keeps passwords
 * and changes, and its own counters while a load runs.
 *
 * <p>Public face: {@link ServerFacts} and {@link ServerMetricsOptions}.
 */
@NullMarked
package org.nyala.loadtest.server;

import org.jspecify.annotations.NullMarked;
