package org.nyala.core.replica;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.UUID;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.Epoch;
import org.nyala.core.dn.Dn;

/** The end of a synchronization before the provider has ended it. */
public final class ReplicaException extends Exception {
  private static final long serialVersionUID = 1;

  /** All entries, however many they are. */
  static final long ALL = Long.MAX_VALUE;

  /** The consequences of the end. */
  public enum Kind {
    /** Another attempt may succeed: something was busy or away, or the provider spoke nonsense. */
    AGAIN,
    /** The copy does not fit what the provider sends; {@link Replica#begin} knows what to do. */
    MISFIT,
    /** A refresh would delete more than the guard allows; nothing was deleted. */
    GUARDED,
    /** The provider sends what this server cannot store, until an administrator helps. */
    UNUSABLE,
    /** The server stops. */
    STOPPING
  }

  private final Kind kind;
  private final long absent;

  /** Creates an exception with a sentence for administrators. */
  public ReplicaException(Kind kind, String message) {
    this(kind, message, 0);
  }

  private ReplicaException(Kind kind, String message, long absent) {
    super(message);
    this.kind = kind;
    this.absent = absent;
  }

  /**
   * Returns the end of a refresh that would delete too many entries.
   *
   * @param absent their number
   * @param total the number of all entries
   */
  static ReplicaException guarded(long absent, long total, Dn suffix) {
    return new ReplicaException(
        Kind.GUARDED,
        String.format(
                Locale.ROOT,
                "the provider no longer has %d of the %d entries of %s: nothing was deleted, until"
                    + " an",
                absent,
                total,
                suffix)
            + " administrator confirms it with nyala sync confirm",
        absent);
  }

  /** Returns the end of a refresh in which the provider has named an entry, but not sent it. */
  static ReplicaException missing(UUID entryUuid) {
    return new ReplicaException(
        Kind.MISFIT, "the provider takes for granted that the entry " + entryUuid + " is here");
  }

  /** Returns the end of a refresh from a provider whose topmost entry is another one. */
  static ReplicaException otherTop(Dn suffix) {
    return new ReplicaException(
        Kind.GUARDED,
        "the provider has another entry "
            + suffix
            + " than this copy, as if it had been set up anew: nothing is deleted before an"
            + " administrator runs nyala sync confirm",
        ALL);
  }

  /**
   * Returns the end of a synchronization with a provider that lacks changes of the copy.
   *
   * @param ours the changes that are here
   * @param provided the changes that the provider has
   */
  static ReplicaException ahead(CsnVector ours, CsnVector provided, Dn suffix) {
    Csn lacking = Csn.FIRST;
    for (Csn each : ours.csns()) {
      lacking = provided.covers(each.given()) ? lacking : each;
    }
    Csn last = provided.of(lacking.serverId());
    return new ReplicaException(
        Kind.UNUSABLE,
        String.format(
                Locale.ROOT,
                "the copy of %s has changes of server %03x up to %s, the provider %s: it was"
                    + " restored",
                suffix,
                lacking.serverId(),
                lacking,
                last == null ? "none" : "up to " + last)
            + " from a backup, or the copy was not made from it; nyala sync confirm NUMBER has the"
            + " next refresh begin from nothing, and what the provider lacks is lost then");
  }

  /**
   * Returns the end of a synchronization with a provider whose data is of an earlier epoch, or of
   * another one with the same number.
   *
   * @param ours the epoch of the data that is here
   * @param provided that of the provider
   */
  static ReplicaException ofOtherEpoch(Epoch ours, Epoch provided, Dn suffix) {
    return new ReplicaException(
        Kind.UNUSABLE,
        String.format(
                Locale.ROOT,
                "the copy of %s is of epoch %d, in which server %d changes it, and the provider is"
                    + " of epoch %d%s:",
                suffix,
                ours.number(),
                ours.serverId(),
                provided.number(),
                provided.isNone() ? "" : " of server " + provided.serverId())
            + " copy from that server, or from one that does; nyala sync confirm NUMBER has the"
            + " next refresh begin from nothing, and what the provider lacks is lost then");
  }

  /** Returns the end of a synchronization with a provider whose clock is wrong. */
  static ReplicaException farAhead(Csn csn, Instant now) {
    return new ReplicaException(
        Kind.UNUSABLE,
        String.format(
                Locale.ROOT,
                "the provider sends the change %s, %d hours ahead of the clock of this server, and"
                    + " more than %d",
                csn,
                Duration.between(now, csn.time()).toHours(),
                Csn.MOST_AHEAD.toHours())
            + ": nothing could be changed after it; correct the clocks; if that of the provider was"
            + " wrong: stop it, run nyala export -o FILE and nyala import --replace FILE, for new"
            + " numbers, and start it");
  }

  /**
   * Returns the number of entries that would have been deleted, {@link #ALL} for all that there
   * are; 0 unless guarded.
   */
  long absent() {
    return absent;
  }

  /** Returns the same, with the stack of the calling thread. */
  ReplicaException forThisThread() {
    return new ReplicaException(kind, String.valueOf(getMessage()), absent);
  }

  public Kind kind() {
    return kind;
  }
}
