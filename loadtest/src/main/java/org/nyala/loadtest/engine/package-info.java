/**
 * Event loops, connections and simulated clients.
 *
 * <p>Public face: {@link LoadRun}.
 *
 * <p>Imports: {@code loadtest.ldap}, {@code loadtest.result}, {@code loadtest.sasl}, {@code
 * loadtest.workload}.
 */
@NullMarked
package org.nyala.loadtest.engine;

import org.jspecify.annotations.NullMarked;
