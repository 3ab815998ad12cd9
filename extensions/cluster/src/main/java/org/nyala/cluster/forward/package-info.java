/**
 * Changes on their way to the member that makes them: a follower passes on what its clients ask,
 * with who they are, and the leader carries it out as if they had asked it.
 *
 * <p>Public face: {@link Forwarding}, {@link LeaderService}.
 */
@NullMarked
package org.nyala.cluster.forward;

import org.jspecify.annotations.NullMarked;
