/**
 * Comparisons: servers side by side, and strategies of one server.
 *
 * <p>Public face: {@link BenchCommand} and {@link StrategiesCommand}.
 */
@NullMarked
package org.nyala.loadtest.compare;

import org.jspecify.annotations.NullMarked;
