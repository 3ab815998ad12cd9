package org.nyala.core.replica;

import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ChangeJournal;
import org.nyala.core.backend.ContextHistory;
import org.nyala.core.backend.CopySource;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.Promotion;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.ContextRef;
import org.nyala.core.dn.Dn;
import org.nyala.core.replica.ReplicaException.Kind;

/** The numbers of the changes that a copy has and that its provider tells of. Stateless. */
final class KnownChanges {
  private KnownChanges() {}

  /** Returns the changes that a naming context has. */
  static CsnVector of(Backend backend, Dn suffix) {
    try (ReadTransaction transaction = backend.beginRead()) {
      return of(transaction, suffix);
    }
  }

  /** Returns the changes that a naming context has in a transaction. */
  static CsnVector of(ReadTransaction transaction, Dn suffix) {
    try (ChangeJournal journal = transaction.journal(suffix)) {
      if (journal == null) {
        throw new IllegalStateException("the store keeps no journal of changes");
      }
      return journal.present();
    }
  }

  /** Returns whether a naming context was promoted, and is no copy for the time being. */
  static boolean arePromoted(Backend backend, Dn suffix) {
    try (ReadTransaction transaction = backend.beginRead()) {
      Promotion promotion = transaction.promotion(suffix);
      return promotion != null && promotion.isInForce();
    }
  }

  /**
   * Returns the note that this server was the one that changed a naming context; null if it was
   * not, or that is not known. If it was, it was never a copy, and has numbers of this server that
   * it did not have before its history began.
   *
   * @param known the changes that it has
   * @param own the number of this server
   */
  static @Nullable Promotion ofFormerWriter(
      ReadTransaction transaction, Dn suffix, CsnVector known, int own, String provider) {
    CopySource before = transaction.source(suffix);
    Csn last = before == null || before.isFirst() ? known.of(own) : null;
    ContextHistory begun = transaction.history(suffix);
    boolean isOurs = last != null && begun != null && !begun.unproven().covers(last);
    return isOurs && transaction.promotion(suffix) == null
        ? Promotion.ofFormerWriter(own, provider)
        : null;
  }

  /**
   * Returns the changes that the content has at the end of a phase.
   *
   * @param sent the changes of the cookie that the refresh has begun with; null if there was none
   * @return null if the provider does not say, and the refresh goes on
   * @throws ReplicaException if it does not say at the end
   */
  static @Nullable CsnVector at(SyncMessage.PhaseEnd end, @Nullable CsnVector sent)
      throws ReplicaException {
    if (end.cookie() != null) {
      return end.cookie().csns();
    }
    if (end.isDone() && sent == null) {
      throw new ReplicaException(
          Kind.AGAIN, "the provider ends the refresh stage without a cookie");
    }
    // As slapd, when nothing has changed since the one that was sent.
    return end.isDone() ? sent : null;
  }

  /** Returns whether a copy has changes that the provider lacks, of servers that that one knows. */
  static boolean isAhead(CsnVector ours, CsnVector provided) {
    for (Csn each : ours.csns()) {
      Csn there = provided.of(each.serverId());
      if (there != null && each.given().isAfter(there)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the servers whose changes a copy has and of which the provider shows none; none if it
   * shows no changes at all.
   */
  static Set<Integer> unknown(CsnVector ours, CsnVector provided) {
    Set<Integer> unknown = new TreeSet<>();
    for (Csn each : provided.csns().isEmpty() ? provided.csns() : ours.csns()) {
      if (provided.of(each.serverId()) == null) {
        unknown.add(each.serverId());
      }
    }
    return unknown;
  }

  /**
   * Requires that new numbers are not far ahead of the clock.
   *
   * @param known the numbers that are not new
   */
  static void requireNear(CsnVector csns, CsnVector known, ContextRef current)
      throws ReplicaException {
    for (Csn each : csns.csns()) {
      Instant now = current.get().updating().instant();
      if (!known.covers(each) && each.isFarAhead(now)) {
        throw ReplicaException.farAhead(each, now);
      }
    }
  }
}
