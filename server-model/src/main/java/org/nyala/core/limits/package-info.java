/**
 * Every configurable bound on what clients may ask for.
 *
 * <p>Public face: {@link ServerLimits}.
 */
@NullMarked
package org.nyala.core.limits;

import org.jspecify.annotations.NullMarked;
