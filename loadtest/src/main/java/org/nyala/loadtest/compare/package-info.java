/**
 * Comparisons: servers side by side, and strategies of one server.
 *
 * <p>Public face: {@link BenchCommand} and {@link StrategiesCommand}.
 *
 * <p>Imports: {@code loadtest.engine}, {@code loadtest.format}, {@code loadtest.ldap}, {@code
 * loadtest.report}, {@code loadtest.result}, {@code loadtest.workload}.
 */
@NullMarked
package org.nyala.loadtest.compare;

import org.jspecify.annotations.NullMarked;
