/**
 * Several servers with one history: the log that a majority keeps, and the store that follows it.
 *
 * <p>Public face: {@link ReplicatedLog}, {@link ReplicatedBackend}.
 *
 * <p>The log calls its {@link ReplicatedLog.Member}; the writer of the store waits in the commit of
 * a batch that this member has made, and applies those of others in turns of its own.
 */
@NullMarked
package org.nyala.cluster;

import org.jspecify.annotations.NullMarked;
