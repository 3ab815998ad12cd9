/**
 * Connections until they are served: accepted, counted, refused, handed to an event loop; and the
 * addresses at their ends.
 *
 * <p>Public face: {@link AcceptHandler}, {@link ConnectionLimiter} and {@link ChannelAddresses}.
 */
@NullMarked
package org.nyala.netty.accept;

import org.jspecify.annotations.NullMarked;
