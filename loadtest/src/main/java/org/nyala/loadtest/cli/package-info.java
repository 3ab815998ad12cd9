/**
 * The command line of the load tester.
 *
 * <p>Public face: {@link Main}.
 *
 * <p>Imports: {@code loadtest.caching}, {@code loadtest.compare}, {@code loadtest.engine}, {@code
 * loadtest.format}, {@code loadtest.jmh}, {@code loadtest.report}, {@code loadtest.result}, {@code
 * loadtest.sasl}, {@code loadtest.workload}.
 */
@NullMarked
package org.nyala.loadtest.cli;

import org.jspecify.annotations.NullMarked;
