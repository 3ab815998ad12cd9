/**
 * Measurements as data.
 *
 * <p>Public face: {@link LoadReport}.
 */
@NullMarked
package org.nyala.loadtest.result;

import org.jspecify.annotations.NullMarked;
