/**
 * Results as text, JSON, CSV, page and live output.
 *
 * <p>Public face: {@link TestOutput}.
 */
@NullMarked
package org.nyala.loadtest.report;

import org.jspecify.annotations.NullMarked;
