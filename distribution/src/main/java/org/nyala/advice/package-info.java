/**
 * Advice from the traffic of a running server, and from the settings of its system.
 *
 * <p>Public face: {@link AdviceService} and {@link SystemSettings}.
 */
@NullMarked
package org.nyala.advice;

import org.jspecify.annotations.NullMarked;
