/**
 * Attributes that are not sent as they are stored: computed ones, and those of which only some
 * values are shown.
 *
 * <p>Public face: {@link ComputedValues} and {@link MatchedValues}.
 */
@NullMarked
package org.nyala.core.operation.values;

import org.jspecify.annotations.NullMarked;
