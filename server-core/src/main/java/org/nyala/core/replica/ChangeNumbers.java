package org.nyala.core.replica;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.SyncCookie;
import org.nyala.core.message.Request;
import org.nyala.core.replica.ReplicaException.Kind;

/**
 * The numbers that a provider sends with a change: that of the change, which is usually the only
 * one.
 *
 * <p>Immutable.
 *
 * @param all all numbers
 * @param entry the number of the entry; null if it is not known
 */
record ChangeNumbers(CsnVector all, @Nullable Csn entry) {
  private static final String ENTRY_CSN = "entryCSN";

  /**
   * Reads the numbers of a change.
   *
   * @throws ReplicaException if there are none
   */
  static ChangeNumbers of(SyncMessage.EntryState change) throws ReplicaException {
    Csn entry = entryCsn(change);
    SyncCookie cookie = change.cookie();
    if (cookie != null && !cookie.csns().csns().isEmpty()) {
      return new ChangeNumbers(cookie.csns(), entry);
    }
    if (entry != null) {
      return new ChangeNumbers(CsnVector.EMPTY.with(entry), entry);
    }
    throw new ReplicaException(
        Kind.AGAIN, "the provider sends a change of " + change.dn() + " without its number");
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
   * Returns the number of the change: of those that are new, the one that the entry has.
   *
   * @param known the changes that are here
   * @return null if none is new
   */
  @Nullable Csn change(CsnVector known) {
    Csn csn = null;
    for (Csn each : all.csns()) {
      boolean isNew = !known.covers(each);
      csn = isNew && (csn == null || each.equals(entry)) ? each : csn;
    }
    return csn;
  }
}
