package org.nyala.core.replica;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.SyncCookie;
import org.nyala.core.message.Request;

/**
 * The numbers that a provider sends with a change: that of the change, which is usually the only
 * one. slapd sends none if changes with smaller numbers are still being made: its numbers are given
 * before the changes are, and neither the cookie nor {@code contextCSN} may pass those that come
 * later.
 *
 * <p>Immutable.
 *
 * @param all the numbers of the cookie
 * @param entry the number of the entry, up to which changes may be missing; null if it is not known
 * @param serverId the server of the cookie; {@link SyncCookie#NO_SERVER} if it names none
 */
record ChangeNumbers(CsnVector all, @Nullable Csn entry, int serverId) {
  private static final String ENTRY_CSN = "entryCSN";

  /** Reads the numbers of a change. */
  static ChangeNumbers of(SyncMessage.EntryState change) {
    SyncCookie cookie = change.cookie();
    Csn entry = entryCsn(change);
    return cookie == null
        ? new ChangeNumbers(CsnVector.EMPTY, entry, SyncCookie.NO_SERVER)
        : new ChangeNumbers(cookie.csns(), entry, cookie.serverId());
  }

  private static @Nullable Csn entryCsn(SyncMessage.EntryState change) {
    for (Request.AttributeValues each : change.attributes()) {
      if (each.attribute().equalsIgnoreCase(ENTRY_CSN) && !each.values().isEmpty()) {
        return Csn.parse(new String(each.values().getFirst(), StandardCharsets.UTF_8));
      }
    }
    return null;
  }

  /**
   * Returns whether a refresh has brought the change: never a deletion, which tells no number of an
   * entry, and does no harm twice.
   *
   * @param refreshed the changes that the provider had when the refresh stage began
   */
  boolean areIn(CsnVector refreshed) {
    return entry != null && refreshed.covers(entry) && refreshed.covers(all);
  }

  /**
   * Returns the number of the change: of those that are new, the one that the entry has. If none is
   * new, one that directly follows the last one, so that the numbers rise with each change, and
   * none is passed that comes later.
   *
   * @param known the changes that are here
   * @return null if nothing can be followed
   */
  @Nullable Csn change(CsnVector known) {
    Csn csn = null;
    for (Csn each : all.csns()) {
      boolean isNew = !known.covers(each);
      csn = isNew && (csn == null || each.equals(entry)) ? each : csn;
    }
    return csn == null ? following(known) : csn;
  }

  private @Nullable Csn following(CsnVector known) {
    Csn last = known.of(entry == null ? serverId : entry.serverId());
    if (last == null && !known.csns().isEmpty()) {
      last = Collections.max(known.csns());
    }
    return last == null ? null : last.following();
  }
}
