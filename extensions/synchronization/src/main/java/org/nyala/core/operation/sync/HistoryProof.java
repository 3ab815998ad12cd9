package org.nyala.core.operation.sync;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ContextHistory;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;

/**
 * The proof that the numbers of a client are of this history: each is that of a row of the journal,
 * or one that this server knows otherwise. Numbers of one server rise in the journal, so that of
 * the rows that a client has the newest one decides. A server that was restored from a backup has
 * none with the number of a change that it has lost, however much was changed since.
 *
 * <p>Confined to one running operation.
 */
final class HistoryProof {
  private final CsnVector known;

  /** The servers of which no row was seen that the client has. */
  private final Set<Integer> unseen;

  /** The servers of which the newest such row has another number. */
  private final Set<Integer> others = new HashSet<>();

  /**
   * Begins it.
   *
   * @param known the numbers of the client
   * @param servers the servers of which the client lacks changes
   */
  HistoryProof(CsnVector known, Set<Integer> servers) {
    this.known = known;
    this.unseen = new HashSet<>(servers);
  }

  /** Takes a row that the client has; newer ones of the same server were taken before. */
  void take(Csn row) {
    Csn number = known.of(row.serverId());
    if (unseen.remove(row.serverId()) && number != null && !row.given().equals(number.given())) {
      others.add(row.serverId());
    }
  }

  /**
   * Returns a number that no row has, after the journal was read as far as it goes; null if there
   * is none.
   *
   * @param floor the largest numbers that the journal has no more
   * @param history the history of the naming context; null if the store keeps none
   */
  @Nullable Csn foreign(CsnVector floor, @Nullable ContextHistory history) {
    for (Csn csn : known.csns()) {
      boolean isToProve = others.contains(csn.serverId()) || unseen.contains(csn.serverId());
      Csn last = floor.of(csn.serverId());
      boolean isLast = last != null && last.given().equals(csn.given());
      if (isToProve && history != null && !isLast && !history.unproven().covers(csn)) {
        return csn;
      }
    }
    return null;
  }

  /**
   * Returns a number below the floor of the journal that may be of a history that is lost; null if
   * there is none.
   */
  @Nullable Csn suspect(@Nullable ContextHistory history) {
    for (Csn csn : known.csns()) {
      boolean isToProve = others.contains(csn.serverId()) || unseen.contains(csn.serverId());
      if (isToProve && history != null && history.mayBeForeign(csn)) {
        return csn;
      }
    }
    return null;
  }
}
