/**
 * Connections before they are served: accepting, counting, refusing, the hand-over to an event
 * loop; and the addresses of both ends.
 *
 * <p>Public face: {@link AcceptHandler}, {@link ConnectionLimiter} and {@link ChannelAddresses}.
 */
@NullMarked
package org.nyala.netty.accept;

import org.jspecify.annotations.NullMarked;
