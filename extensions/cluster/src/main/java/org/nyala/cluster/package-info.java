/**
 * Several servers with one history: the log that a majority keeps, and the store that follows it.
 *
 * <p>Public face: {@link ReplicatedLog}.
 */
@NullMarked
package org.nyala.cluster;

import org.jspecify.annotations.NullMarked;
