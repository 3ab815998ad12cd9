/**
 * The running server, composed of its parts, and its reconfiguration.
 *
 * <p>Public face: {@link RunningServer}.
 */
@NullMarked
package org.nyala.server;

import org.jspecify.annotations.NullMarked;
