/**
 * Every configurable bound on what clients may ask for, and the keys of settings.
 *
 * <p>Public face: {@link ServerLimits} and {@link Key}.
 */
@NullMarked
package org.nyala.core.limits;

import org.jspecify.annotations.NullMarked;
