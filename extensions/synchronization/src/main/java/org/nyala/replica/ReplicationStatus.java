package org.nyala.replica;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.replica.ReplicaProgress;

/**
 * The state of a copy and of its connection.
 *
 * <p>Immutable.
 *
 * @param provider the address of the provider
 * @param suffix the naming context
 * @param progress the progress of the copy
 * @param connected the time since which the provider is connected; null if it is not
 * @param lagSeconds the seconds since the copy was last known to have everything of the provider;
 *     -1 if it never was since the start
 * @param staleSeconds the same; if less, the seconds since this server keeps the copy up to date; 0
 *     while it follows a provider that is never asked for a sign of life
 * @param isReady whether clients should read the copy ({@code replication.readyLagSeconds})
 * @param attempts the connections since the copy last followed its provider for a minute, the open
 *     one included
 * @param error the last failure; empty once the copy has followed for a minute
 * @param failed the time of that; null if {@code error} is empty
 */
public record ReplicationStatus(
    String provider,
    String suffix,
    ReplicaProgress progress,
    @Nullable Instant connected,
    long lagSeconds,
    long staleSeconds,
    boolean isReady,
    int attempts,
    String error,
    @Nullable Instant failed) {
  /**
   * Returns the same for a naming context that this server changes.
   *
   * @param present the changes that it has
   */
  ReplicationStatus promoted(CsnVector present) {
    return new ReplicationStatus(
        provider, suffix, progress.promoted(present), null, 0, 0, true, 0, error, failed);
  }
}
