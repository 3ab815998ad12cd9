/**
 * Measurements as data.
 *
 * <p>Public face: {@link LoadReport}.
 *
 * <p>Imports: {@code loadtest.format}, {@code loadtest.workload}.
 */
@NullMarked
package org.nyala.loadtest.result;

import org.jspecify.annotations.NullMarked;
