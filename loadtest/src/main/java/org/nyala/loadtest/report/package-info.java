/**
 * Results as text, JSON, CSV, page and live output.
 *
 * <p>Public face: {@link TestOutput}.
 *
 * <p>Imports: {@code loadtest.engine}, {@code loadtest.format}, {@code loadtest.ldap}, {@code
 * loadtest.result}, {@code loadtest.workload}.
 */
@NullMarked
package org.nyala.loadtest.report;

import org.jspecify.annotations.NullMarked;
