/**
 * The searches that clients send, counted by shape: what they have in common once their values are
 * taken out.
 *
 * <p>Public face: {@link SearchShapes}, {@link SearchShape} and {@link FilterShape}.
 */
@NullMarked
package org.nyala.core.traffic;

import org.jspecify.annotations.NullMarked;
