/**
 * Every configurable bound on what clients may ask for.
 *
 * <p>Public face: {@link ServerLimits}.
 *
 * <p>Imports: {@code core.budget}.
 */
@NullMarked
package org.nyala.core.limits;

import org.jspecify.annotations.NullMarked;
