package org.nyala.core.replica;

import org.nyala.core.backend.CsnVector;

/**
 * The progress of a copy.
 *
 * <p>Immutable.
 *
 * @param phase what it is at
 * @param csns the changes of the provider that are on disk here; as of the last refresh until the
 *     next one has ended
 * @param received the messages about entries since the start
 * @param written the entries added, changed, renamed and deleted since the start
 * @param queued the messages that wait for the writer
 * @param waiting the entries that wait for their parents
 * @param guarded the entries that a stopped refresh would delete, or that may be lost if the
 *     provider lacks changes; 0 if no administrator is waited for
 */
public record ReplicaProgress(
    ReplicaPhase phase,
    CsnVector csns,
    long received,
    long written,
    int queued,
    int waiting,
    long guarded) {
  /** Returns the same for a copy whose provider gives no sign of life. */
  public ReplicaProgress silent() {
    return new ReplicaProgress(
        ReplicaPhase.SILENT, csns, received, written, queued, waiting, guarded);
  }

  /**
   * Returns the same for a naming context that this server changes.
   *
   * @param present the changes that it has
   */
  public ReplicaProgress promoted(CsnVector present) {
    return new ReplicaProgress(
        ReplicaPhase.PROMOTED, present, received, written, queued, waiting, 0);
  }
}
