/**
 * Event loops, connections and simulated clients.
 *
 * <p>Public face: {@link LoadRun}.
 */
@NullMarked
package org.nyala.loadtest.engine;

import org.jspecify.annotations.NullMarked;
