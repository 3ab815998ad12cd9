package org.nyala.core.replica;

import org.nyala.core.dn.Dn;

/**
 * The settings of a copy.
 *
 * <p>Immutable.
 *
 * @param suffix the naming context that is copied
 * @param replicaId the number of this consumer in cookies, 0 to 999
 * @param maximumDeletePercent the share of the entries that a refresh may delete, 0 to 100; {@link
 *     #UNGUARDED_DELETIONS} may be deleted in any case
 * @param queuedMessages the messages that may wait for the writer, at least 1
 * @param queuedBytes their approximate memory; a single message may be larger
 * @param waitingBytes the memory for entries whose parents have not come yet, and as much again for
 *     the identifiers of those that have not come themselves
 */
public record ReplicaSettings(
    Dn suffix,
    int replicaId,
    int maximumDeletePercent,
    int queuedMessages,
    long queuedBytes,
    long waitingBytes) {
  /** The entries that a refresh may delete, whatever share of all they are. */
  public static final int UNGUARDED_DELETIONS = 100;
}
