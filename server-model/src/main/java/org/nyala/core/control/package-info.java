/**
 * The values of request and response controls.
 *
 * <p>Public face: {@link RequestControls} reads those of a request; {@link ControlType} lists what
 * is known.
 */
@NullMarked
package org.nyala.core.control;

import org.jspecify.annotations.NullMarked;
