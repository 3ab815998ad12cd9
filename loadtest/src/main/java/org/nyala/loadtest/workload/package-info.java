/**
 * Jobs, targets, rates and replay: the description of a test.
 *
 * <p>Public face: {@link LoadSettings}.
 */
@NullMarked
package org.nyala.loadtest.workload;

import org.jspecify.annotations.NullMarked;
