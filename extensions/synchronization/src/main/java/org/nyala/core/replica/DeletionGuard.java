package org.nyala.core.replica;

import static org.nyala.core.replica.ReplicaSettings.UNGUARDED_DELETIONS;

import org.nyala.core.dn.Dn;

/**
 * The consent of an administrator to what a provider may delete: so many entries, or everything
 * that an earlier provider has left.
 *
 * <p>Thread-safe.
 */
final class DeletionGuard {
  private static final int ALL_PERCENT = 100;

  /** The reason why an administrator is waited for. */
  private enum Stop {
    NONE,
    DELETIONS,
    OTHER_TOP,
    /** The provider lacks changes that are here; attempts go on. */
    AHEAD
  }

  private final Dn suffix;
  private final int maximumPercent;
  private Stop stop = Stop.NONE;
  private long guarded;
  private long allowance;
  private boolean isAnew;

  DeletionGuard(ReplicaSettings settings) {
    this.suffix = settings.suffix();
    this.maximumPercent = settings.maximumDeletePercent();
  }

  /**
   * Requires that so many entries may be deleted. The topmost entry is not deleted without consent:
   * a provider that has it names it, and one that has not has no content to name.
   *
   * @param total the number of all entries
   * @param isTopAbsent true if the topmost entry is among those to delete
   */
  synchronized void require(long absent, long total, boolean isTopAbsent) throws ReplicaException {
    if (!allows(absent, total, isTopAbsent)) {
      throw ReplicaException.guarded(absent, total, suffix);
    }
  }

  /** Returns whether so many entries may be deleted, as {@link #require}. */
  synchronized boolean allows(long absent, long total, boolean isTopAbsent) {
    long allowed = Math.max(UNGUARDED_DELETIONS, total * maximumPercent / ALL_PERCENT);
    if (isTopAbsent && maximumPercent < ALL_PERCENT) {
      allowed = 0;
    }
    return absent <= Math.max(allowed, allowance);
  }

  /** Returns whether the entry at the top may be replaced by another one. */
  synchronized boolean mayReplaceTop() {
    return isAnew || maximumPercent == ALL_PERCENT;
  }

  /** Returns whether the next refresh begins from nothing, with consent to lose what is here. */
  synchronized boolean isAnew() {
    return isAnew;
  }

  /**
   * Returns whether an entry that the provider has not named is deleted whichever server has made
   * its last change.
   */
  synchronized boolean coversAll(boolean isTopReplaced) {
    return isAnew || isTopReplaced;
  }

  /**
   * Stops until an administrator confirms it.
   *
   * @param isOtherTop true if the provider has another topmost entry
   * @param entries the number of entries that would be deleted
   */
  synchronized void stop(boolean isOtherTop, long entries) {
    stop = isOtherTop ? Stop.OTHER_TOP : Stop.DELETIONS;
    guarded = Math.max(1, entries);
  }

  /**
   * Notes whether there are changes here that the provider lacks.
   *
   * @param total the number of all entries now, which may be lost
   */
  synchronized void ahead(boolean isAhead, long total) {
    if (isAhead) {
      guarded = Math.max(1, total);
      stop = Stop.AHEAD;
    } else if (stop == Stop.AHEAD) {
      stop = Stop.NONE;
    }
  }

  /** Returns whether nothing is to be synchronized before an administrator confirms it. */
  synchronized boolean isStopped() {
    return stop == Stop.DELETIONS || stop == Stop.OTHER_TOP;
  }

  /** Returns the number of entries that it has stopped before. */
  synchronized long guarded() {
    return stop == Stop.NONE ? 0 : guarded;
  }

  /**
   * Takes the consent of an administrator to what was stopped.
   *
   * @param entries the number of entries that may be lost, as the administrator has seen it
   * @return false if nothing was stopped, or another number would be lost: nothing is changed then
   */
  synchronized boolean confirm(long entries) {
    if (stop == Stop.NONE || guarded != entries) {
      return false;
    }
    if (stop == Stop.OTHER_TOP || stop == Stop.AHEAD) {
      isAnew = true;
    }
    if (stop == Stop.DELETIONS || stop == Stop.OTHER_TOP) {
      allowance = entries;
    }
    stop = Stop.NONE;
    return true;
  }

  /** Takes the consent that the next refresh begins from nothing. */
  synchronized void beginAnew() {
    isAnew = true;
  }

  /** Notes that a refresh has ended well: the consent is used up. */
  synchronized void used() {
    allowance = 0;
    isAnew = false;
    stop = Stop.NONE;
  }
}
