/**
 * The values of request and response controls.
 *
 * <p>Public face: {@link RequestControls} reads those of a request; {@link ControlType} lists what
 * is known.
 *
 * <p>Imports: {@code core.ber}, {@code core.bytes}, {@code core.message}.
 */
@NullMarked
package org.nyala.core.control;

import org.jspecify.annotations.NullMarked;
